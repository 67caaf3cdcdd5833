// A cache of OpenSSL's record buffers.
//
// A connection releases its buffers after each record
// (SSL_MODE_RELEASE_BUFFERS), so that an idle one holds none. malloc() is slow
// with blocks of that size, and a proxied request needs four of them.
#ifndef CARME_COMMON_NET_TLS_TLS_BUFFERS_H_
#define CARME_COMMON_NET_TLS_TLS_BUFFERS_H_

namespace carme::net {

// Enables the cache. Call it first in main(): OpenSSL accepts no allocator
// after its first allocation. False: called too late, or a sanitizer is active;
// then there is no cache.
bool ShareTlsBuffers();

// The cache of the thread that creates it and must destroy it. One per thread.
class TlsBuffers {
 public:
  TlsBuffers();
  ~TlsBuffers();
  TlsBuffers(const TlsBuffers&) = delete;
  TlsBuffers& operator=(const TlsBuffers&) = delete;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_TLS_TLS_BUFFERS_H_
