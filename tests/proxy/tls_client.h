// A client that sends any bytes over TLS, and waits no longer than a while.
#ifndef CARME_TESTS_PROXY_TLS_CLIENT_H_
#define CARME_TESTS_PROXY_TLS_CLIENT_H_

#include <memory>
#include <string>

#include "absl/time/time.h"

struct ssl_st;
struct ssl_ctx_st;
struct ssl_session_st;

namespace carme::testing {

// One answer as it came.
struct TestResponse {
  int status = 0;  // 0: the connection ended without a whole answer
  std::string head;
  std::string body;      // without chunks
  std::string trailers;  // lines
  bool Has(const std::string& text) const {
    return head.find(text) != std::string::npos;
  }
  // The value of the first such field; empty without one.
  std::string Value(const std::string& name) const;
};

class TlsClient {
 public:
  struct Options {
    std::string server_name;
    std::string ca_pem;
    int tls_version = 0;    // of OpenSSL; 0: any
    std::string alpn;       // e.g. "h2"; empty: none
    int receive_bytes = 0;  // the socket's buffer; 0: as usual
    std::shared_ptr<ssl_session_st> session{};  // to be resumed
    bool asks_for_ocsp = false;
    std::string first{};  // bytes before the handshake
    std::string from{};   // its own address, of 127.0.0.0/8; empty: any
  };
  TlsClient(int port, const Options& options);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  // Whether bytes have come that nobody has read.
  bool Readable() const;
  bool connected() const { return connected_; }
  bool resumed() const;
  // The newest; ask when something has been read.
  std::shared_ptr<ssl_session_st> session() const;
  std::string ocsp_response() const;  // DER; empty: nothing was stapled
  bool Send(const std::string& bytes);
  // close_notify and the end of what is sent.
  void Finish();
  // From now on as if its host were gone: nothing that comes is answered, not
  // by the kernel either.
  void Vanish();
  TestResponse ReadResponse(bool to_head = false);
  // At least so many bytes, or what there was before the end.
  std::string Read(size_t count);
  // What has come, at least a byte of it; empty at the end.
  std::string ReadSome();
  // Whether the other side ends the connection within that time.
  bool EndsWithin(absl::Duration time);

  TestResponse Ask(const std::string& request) {
    Send(request);
    return ReadResponse(request.compare(0, 5, "HEAD ") == 0);
  }

 private:
  bool More();

  int fd_ = -1;
  ssl_ctx_st* context_ = nullptr;
  ssl_st* ssl_ = nullptr;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_TLS_CLIENT_H_
