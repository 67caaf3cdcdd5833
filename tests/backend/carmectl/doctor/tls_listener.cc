#include "tests/backend/carmectl/doctor/tls_listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <stdexcept>
#include <string_view>

namespace carme::carmectl {
namespace {

// An empty SETTINGS frame.
constexpr char kSettingsFrame[] = "\x00\x00\x00\x04\x00\x00\x00\x00\x00";

}  // namespace

TlsListener::TlsListener(const TlsListenerFiles& files)
    : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  SSL_CTX* const context = context_.get();
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) !=
          1 ||
      SSL_CTX_use_PrivateKey_file(context, files.key.c_str(),
                                  SSL_FILETYPE_PEM) != 1) {
    throw std::runtime_error("the listener's certificate cannot be used");
  }
  if (!files.client_ca.empty()) {
    SSL_CTX_load_verify_locations(context, files.client_ca.c_str(), nullptr);
    SSL_CTX_set_verify(
        context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_.get(), generic, size) != 0 ||
      listen(listener_.get(), 16) != 0 ||
      getsockname(listener_.get(), generic, &size) != 0) {
    throw std::runtime_error("no port to listen on");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Accept(); });
}

TlsListener::~TlsListener() {
  stopping_ = true;
  shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
}

std::string TlsListener::address() const {
  return "127.0.0.1:" + std::to_string(port_);
}

void TlsListener::Accept() {
  while (!stopping_) {
    const UniqueFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (fd.valid()) Serve(fd.get());
  }
}

void TlsListener::Serve(int fd) {
  const std::unique_ptr<SSL, decltype(&SSL_free)> session(
      SSL_new(context_.get()), &SSL_free);
  SSL_set_fd(session.get(), fd);
  if (SSL_accept(session.get()) != 1) return;
  char buffer[4096];
  const int got = SSL_read(session.get(), buffer, sizeof(buffer));
  if (got <= 0) return;
  const std::string_view request(buffer, got);
  if (request.rfind("PRI ", 0) == 0) {
    SSL_write(session.get(), kSettingsFrame, sizeof(kSettingsFrame) - 1);
    return;
  }
  const bool is_job =
      request.find("\r\nHost: carme-doctor.jobs.test\r\n") != request.npos;
  const std::string response =
      "HTTP/1.1 200 OK\r\nDate: " +
      absl::FormatTime(
          "%a, %d %b %E4Y %H:%M:%S GMT",
          absl::FromUnixSeconds(is_job ? jobs_date_unix_ : date_unix_),
          absl::UTCTimeZone()) +
      "\r\nContent-Length: 0\r\n\r\n";
  SSL_write(session.get(), response.data(), static_cast<int>(response.size()));
}

}  // namespace carme::carmectl
