#include "tests/proxy/tls_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "tests/proxy/vanish.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

void Trust(SSL_CTX* context, const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* ca = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca);
  X509_free(ca);
  BIO_free(bio);
}

void SetPatience(int fd, absl::Duration time) {
  const timeval patience = absl::ToTimeval(time);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

}  // namespace

std::string TestResponse::Value(const std::string& name) const {
  size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  at += name.size() + 4;
  return head.substr(at, head.find("\r\n", at) - at);
}

TlsClient::TlsClient(int port, const Options& options) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (options.receive_bytes > 0) {
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &options.receive_bytes, sizeof(int));
  }
  SetPatience(fd_, kPatience);
  // As browsers do: small writes behind each other are not held back.
  const int now = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (!options.from.empty()) {
    inet_pton(AF_INET, options.from.c_str(), &address.sin_addr);
    bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  context_ = SSL_CTX_new(TLS_client_method());
  Trust(context_, options.ca_pem);
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
  if (options.tls_version != 0) {
    SSL_CTX_set_min_proto_version(context_, options.tls_version);
    SSL_CTX_set_max_proto_version(context_, options.tls_version);
    SSL_CTX_set_cipher_list(context_, "ALL:@SECLEVEL=0");
  }
  ssl_ = SSL_new(context_);
  SSL_set1_host(ssl_, options.server_name.c_str());
  SSL_set_tlsext_host_name(ssl_, options.server_name.c_str());
  if (!options.alpn.empty()) {
    std::string wire = static_cast<char>(options.alpn.size()) + options.alpn;
    SSL_set_alpn_protos(ssl_,
                        reinterpret_cast<const unsigned char*>(wire.data()),
                        static_cast<unsigned>(wire.size()));
  }
  if (options.asks_for_ocsp) {
    SSL_set_tlsext_status_type(ssl_, TLSEXT_STATUSTYPE_ocsp);
  }
  if (options.session) SSL_set_session(ssl_, options.session.get());
  SSL_set_fd(ssl_, fd_);
  const auto wanted = static_cast<ssize_t>(options.first.size());
  connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address),
                       sizeof address) == 0 &&
               send(fd_, options.first.data(), options.first.size(),
                    MSG_NOSIGNAL) == wanted &&
               SSL_connect(ssl_) == 1;
  ERR_clear_error();
}

TlsClient::~TlsClient() {
  // Or OpenSSL would not resume the session of a connection that was cut.
  SSL_set_shutdown(ssl_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(ssl_);
  SSL_CTX_free(context_);
  close(fd_);
}

bool TlsClient::Readable() const {
  pollfd socket{fd_, POLLIN, 0};
  return !buffer_.empty() || SSL_pending(ssl_) > 0 || poll(&socket, 1, 0) == 1;
}

bool TlsClient::resumed() const { return SSL_session_reused(ssl_) == 1; }

std::shared_ptr<ssl_session_st> TlsClient::session() const {
  return {SSL_get1_session(ssl_), SSL_SESSION_free};
}

std::string TlsClient::ocsp_response() const {
  const unsigned char* bytes = nullptr;
  const long size = SSL_get_tlsext_status_ocsp_resp(ssl_, &bytes);
  return size > 0 ? std::string(reinterpret_cast<const char*>(bytes),
                                static_cast<size_t>(size))
                  : "";
}

bool TlsClient::Send(const std::string& bytes) {
  ERR_clear_error();
  return SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) ==
         static_cast<int>(bytes.size());
}

void TlsClient::Finish() {
  SSL_shutdown(ssl_);
  shutdown(fd_, SHUT_WR);
}

void TlsClient::Vanish() { testing::Vanish(fd_); }

bool TlsClient::More() {
  char bytes[16384];
  ERR_clear_error();
  int n = SSL_read(ssl_, bytes, sizeof bytes);
  if (n <= 0) return false;
  buffer_.append(bytes, static_cast<size_t>(n));
  return true;
}

std::string TlsClient::Read(size_t count) {
  while (buffer_.size() < count && More()) {
  }
  std::string taken = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return taken;
}

std::string TlsClient::ReadSome() {
  if (buffer_.empty()) More();
  return std::exchange(buffer_, "");
}

TestResponse TlsClient::ReadResponse(bool to_head) {
  TestResponse response;
  size_t end;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!More()) return response;
  }
  response.head = buffer_.substr(0, end + 4);
  buffer_.erase(0, end + 4);
  const int status = std::atoi(response.head.c_str() + 9);
  if (status == 101 || status == 204 || status == 304 || to_head) {
    response.status = status;
    return response;
  }
  if (response.Value("Transfer-Encoding") == "chunked") {
    for (;;) {
      while ((end = buffer_.find("\r\n")) == std::string::npos) {
        if (!More()) return response;
      }
      size_t size = std::strtoul(buffer_.c_str(), nullptr, 16);
      buffer_.erase(0, end + 2);
      if (size == 0) break;
      std::string data = Read(size + 2);
      if (data.size() != size + 2) return response;
      response.body += data.substr(0, size);
    }
    for (;;) {
      while ((end = buffer_.find("\r\n")) == std::string::npos) {
        if (!More()) return response;
      }
      const std::string line = buffer_.substr(0, end + 2);
      buffer_.erase(0, end + 2);
      if (line.size() == 2) break;
      response.trailers += line;
    }
  } else {
    size_t size =
        std::strtoul(response.Value("Content-Length").c_str(), nullptr, 10);
    response.body = Read(size);
    if (response.body.size() != size) return response;
  }
  response.status = status;
  return response;
}

bool TlsClient::EndsWithin(absl::Duration time) {
  const absl::Time latest = absl::Now() + time;
  SetPatience(fd_, time);
  while (absl::Now() < latest && More()) {
  }
  const bool ended = absl::Now() < latest;
  SetPatience(fd_, kPatience);
  return ended;
}

}  // namespace carme::testing
