#include "backend/carmectl/doctor/host/peer_connection.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/doctor/host/messages.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr int kPeerTimeoutMs = 5000;
constexpr unsigned char kHttp2Protocol[] = "\x02h2";
// The client's preface and empty settings (RFC 9113 section 3.4).
constexpr char kHttp2Preface[] =
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    "\x00\x00\x00\x04\x00\x00\x00\x00\x00";

using TlsContextPtr = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using TlsSessionPtr = std::unique_ptr<SSL, decltype(&SSL_free)>;

// The description of the newest error of OpenSSL.
std::string TlsErrorText() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  const char* const reason =
      error == 0 ? nullptr : ERR_reason_error_string(error);
  return reason == nullptr ? "the peer closed the connection" : reason;
}

// 0, or errno.
int ConnectWithin(int fd, const net::Address& address, int timeout_ms) {
  fcntl(fd, F_SETFL, O_NONBLOCK);
  if (connect(fd, address.get(), address.size()) != 0) {
    if (errno != EINPROGRESS) return errno;
    pollfd poller{.fd = fd, .events = POLLOUT, .revents = 0};
    if (poll(&poller, 1, timeout_ms) <= 0) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return error;
  }
  fcntl(fd, F_SETFL, 0);
  const timeval limit{.tv_sec = kPeerTimeoutMs / 1000, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  return 0;
}

absl::Status UseFiles(SSL_CTX* context, const TlsPeer& peer) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (SSL_CTX_load_verify_locations(context, peer.ca.c_str(), nullptr) != 1) {
    return MakePlainError(doctor_host_messages::kAuthorityUnusable,
                          {{"path", peer.ca}, {"cause", TlsErrorText()}});
  }
  if (peer.own.certificate.empty()) return absl::OkStatus();
  if (SSL_CTX_use_certificate_chain_file(context,
                                         peer.own.certificate.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, peer.own.key.c_str(),
                                  SSL_FILETYPE_PEM) != 1) {
    return MakePlainError(
        doctor_host_messages::kCertificateUnusable,
        {{"path", peer.own.certificate}, {"cause", TlsErrorText()}});
  }
  return absl::OkStatus();
}

absl::Status HandshakeError(SSL* session) {
  const long verified = SSL_get_verify_result(session);
  const std::string text = verified != X509_V_OK
                               ? X509_verify_cert_error_string(verified)
                               : TlsErrorText();
  ERR_clear_error();
  return MakePlainError(doctor_host_messages::kTlsFailed, {{"cause", text}});
}

bool IsNumericHost(const std::string& host) {
  return net::Address::FromIp(host, 1).ok();
}

}  // namespace

absl::StatusOr<HostPort> ParseHostPort(const std::string& text,
                                       int default_port) {
  HostPort result{.host = text, .port = default_port};
  const size_t colon = text.rfind(':');
  const size_t bracket = text.rfind(']');
  if (colon != std::string::npos &&
      (bracket == std::string::npos || bracket < colon)) {
    result.host = text.substr(0, colon);
    if (!absl::SimpleAtoi(text.substr(colon + 1), &result.port)) {
      result.port = -1;
    }
  }
  if (result.host.size() > 2 && result.host.front() == '[' &&
      result.host.back() == ']') {
    result.host = result.host.substr(1, result.host.size() - 2);
  }
  if (result.host.empty() || result.port < 1 || result.port > 65535) {
    return MakePlainError(doctor_host_messages::kNotHostPort, {{"text", text}});
  }
  return result;
}

absl::StatusOr<UniqueFd> ConnectToPeer(const std::string& address,
                                       const NameResolver& resolver) {
  ASSIGN_OR_RETURN(const HostPort peer, ParseHostPort(address, 443));
  ASSIGN_OR_RETURN(const std::vector<net::Address> addresses,
                   resolver.Resolve(peer.host, peer.port));
  std::string errors;
  for (const net::Address& each : addresses) {
    UniqueFd fd(socket(each.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int error =
        fd.valid() ? ConnectWithin(fd.get(), each, kPeerTimeoutMs) : errno;
    if (error == 0) return fd;
    absl::StrAppend(&errors, errors.empty() ? "" : "; ", each.ToString(), ": ",
                    strerror(error));
  }
  return absl::UnavailableError(errors);
}

absl::Status ProbeTlsPeer(const TlsPeer& peer, const NameResolver& resolver) {
  ASSIGN_OR_RETURN(const UniqueFd fd, ConnectToPeer(peer.address, resolver));
  const TlsContextPtr context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  if (!context) return absl::InternalError("TLS: out of memory");
  ERR_clear_error();
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  RETURN_IF_ERROR(UseFiles(context.get(), peer));
  SSL_CTX_set_alpn_protos(context.get(), kHttp2Protocol,
                          sizeof(kHttp2Protocol) - 1);
  const TlsSessionPtr session(SSL_new(context.get()), &SSL_free);
  if (!session) return absl::InternalError("TLS: out of memory");
  SSL_set_fd(session.get(), fd.get());
  SSL_set1_host(session.get(), peer.server_name.c_str());
  SSL_set_tlsext_host_name(session.get(), peer.server_name.c_str());
  if (SSL_connect(session.get()) != 1) return HandshakeError(session.get());
  // With TLS 1.3 a server rejects the client's certificate after the client has
  // finished the handshake.
  char byte = 0;
  if (SSL_write(session.get(), kHttp2Preface, sizeof(kHttp2Preface) - 1) <= 0 ||
      SSL_read(session.get(), &byte, 1) <= 0) {
    return HandshakeError(session.get());
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Time> FetchHttpsDate(const std::string& address,
                                          const std::string& host,
                                          const NameResolver& resolver) {
  ASSIGN_OR_RETURN(const HostPort peer, ParseHostPort(host, 443));
  ASSIGN_OR_RETURN(const UniqueFd fd, ConnectToPeer(address, resolver));
  const TlsContextPtr context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  const TlsSessionPtr session(context ? SSL_new(context.get()) : nullptr,
                              &SSL_free);
  if (!session) return absl::InternalError("TLS: out of memory");
  ERR_clear_error();
  SSL_set_fd(session.get(), fd.get());
  if (!IsNumericHost(peer.host)) {
    SSL_set_tlsext_host_name(session.get(), peer.host.c_str());
  }
  if (SSL_connect(session.get()) != 1) return HandshakeError(session.get());
  const std::string request = absl::StrCat("GET / HTTP/1.1\r\nHost: ", host,
                                           "\r\nConnection: close\r\n\r\n");
  if (SSL_write(session.get(), request.data(),
                static_cast<int>(request.size())) <= 0) {
    return HandshakeError(session.get());
  }
  std::string head;
  char buffer[4096];
  int got = 0;
  while (head.size() < 65536 && head.find("\r\n\r\n") == std::string::npos &&
         (got = SSL_read(session.get(), buffer, sizeof(buffer))) > 0) {
    head.append(buffer, got);
  }
  for (absl::string_view line : absl::StrSplit(head, "\r\n")) {
    if (line.empty()) break;
    if (!absl::EqualsIgnoreCase(line.substr(0, 5), "date:")) continue;
    absl::Time time;
    std::string error;
    if (absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT",
                        std::string(absl::StripAsciiWhitespace(line.substr(5))),
                        &time, &error)) {
      return time;
    }
  }
  return MakePlainError(doctor_host_messages::kNoDate);
}

}  // namespace carme::carmectl
