// OpenSSL's buffers of a record, kept at hand.
//
// A connection gives its buffers back after each record
// (SSL_MODE_RELEASE_BUFFERS), so that one at rest holds none. malloc() is slow
// with blocks of that size: four of them a proxied request.
#ifndef CARME_COMMON_NET_TLS_TLS_BUFFERS_H_
#define CARME_COMMON_NET_TLS_TLS_BUFFERS_H_

namespace carme::net {

// Lets threads keep such buffers. First in main(): OpenSSL takes no allocator
// any more once it has allocated something. False: it is too late, or a
// sanitizer watches the memory; then all is as without.
bool ShareTlsBuffers();

// The thread that makes it keeps a few buffers until it destroys it there. One
// a thread.
class TlsBuffers {
 public:
  TlsBuffers();
  ~TlsBuffers();
  TlsBuffers(const TlsBuffers&) = delete;
  TlsBuffers& operator=(const TlsBuffers&) = delete;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_TLS_TLS_BUFFERS_H_
