#include "common/net/tls/tls_buffers.h"

#include <malloc.h>
#include <openssl/crypto.h>

#include <cstddef>
#include <cstdlib>

namespace carme::net {
namespace {

// A record of 16 KiB with the overhead of TLS.
constexpr size_t kSmallest = 16 * 1024;
constexpr size_t kBlock = 17 * 1024 + 512;
// malloc() may return larger blocks than requested.
constexpr size_t kSlack = 64;
constexpr int kMaxBlocks = 4;

struct Kept {
  void* blocks[kMaxBlocks];
  int count = 0;
  bool on = false;
};
// Without a destructor, because OpenSSL frees memory after a thread has ended.
thread_local Kept kept;

void* Allocate(size_t size, const char*, int) {
  if (size == 0) return nullptr;
  if (!kept.on || size < kSmallest || size > kBlock) return malloc(size);
  if (kept.count > 0) return kept.blocks[--kept.count];
  return malloc(kBlock);
}

void Free(void* memory, const char*, int) {
  if (memory == nullptr) return;
  if (kept.on && kept.count < kMaxBlocks) {
    const size_t size = malloc_usable_size(memory);
    if (size >= kBlock && size < kBlock + kSlack) {
      kept.blocks[kept.count++] = memory;
      return;
    }
  }
  free(memory);
}

void* Resize(void* memory, size_t size, const char* file, int line) {
  if (size > 0) return realloc(memory, size);
  Free(memory, file, line);
  return nullptr;
}

}  // namespace

bool ShareTlsBuffers() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr bool kWanted = false;
#else
  constexpr bool kWanted = true;
#endif
  return kWanted && CRYPTO_set_mem_functions(Allocate, Resize, Free) == 1;
}

TlsBuffers::TlsBuffers() { kept.on = true; }

TlsBuffers::~TlsBuffers() {
  kept.on = false;
  while (kept.count > 0) free(kept.blocks[--kept.count]);
}

}  // namespace carme::net
