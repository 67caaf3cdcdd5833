// By itself: OpenSSL must not have allocated anything before.
#include "common/net/tls/tls_buffers.h"

#include <openssl/crypto.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

namespace carme::net {
namespace {

constexpr size_t kRecord = 16 * 1024 + 400;

TEST_CASE("TLS buffers: are cached only in threads that enable it", "[net]") {
  const bool shared = ShareTlsBuffers();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  CHECK_FALSE(shared);
#else
  REQUIRE(shared);
  {
    const TlsBuffers buffers;
    void* first = OPENSSL_malloc(kRecord);
    REQUIRE(first != nullptr);
    OPENSSL_free(first);
    void* small = OPENSSL_malloc(1000);
    void* large = OPENSSL_malloc(100'000);
    CHECK(small != first);
    CHECK(large != first);
    // Another size of that kind has room in the same block.
    void* again = OPENSSL_malloc(kRecord + 1000);
    CHECK(again == first);
    std::memset(again, 'x', kRecord + 1000);
    void* second = OPENSSL_malloc(kRecord);
    CHECK(second != again);
    // What another thread allocated may be freed here, and the reverse.
    std::thread([&] {
      OPENSSL_free(again);
      again = OPENSSL_malloc(kRecord);
    }).join();
    for (void* each : {small, large, again, second}) OPENSSL_free(each);
    // More than are kept.
    void* many[20];
    for (void*& each : many) {
      each = OPENSSL_malloc(kRecord);
      std::memset(each, 'y', kRecord);
    }
    for (void* each : many) OPENSSL_free(each);
  }
  OPENSSL_free(OPENSSL_realloc(OPENSSL_malloc(kRecord), 10));
  CHECK(OPENSSL_malloc(0) == nullptr);
#endif
}

}  // namespace
}  // namespace carme::net
