#include "backend/privileged/privsep/prefault.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <memory>

namespace carme {
namespace {

// Since Linux 5.14; the C library of Debian 12 does not name them.
constexpr int kPopulateRead = 22;   // MADV_POPULATE_READ
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

void PrefaultMemory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return;  // a sanitizer reserves terabytes of shadow memory
#endif
  const std::unique_ptr<std::FILE, CloseFile> maps(
      std::fopen("/proc/self/maps", "re"));
  if (maps == nullptr) return;
  char line[512];
  while (std::fgets(line, sizeof line, maps.get()) != nullptr) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char rights[5] = "";
    if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3) continue;
    const bool writable = rights[1] == 'w';
    const bool code = rights[2] == 'x';
    if (rights[3] != 'p' || (!writable && !code)) continue;
    madvise(reinterpret_cast<void*>(begin), end - begin,
            writable ? kPopulateWrite : kPopulateRead);
  }
}

}  // namespace carme
