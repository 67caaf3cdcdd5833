#include "tests/slurm-hooks/agent/proxy_connection.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>

#include "absl/time/clock.h"

namespace carme::agent {
namespace {

void Use(SSL_CTX* context, const testing::TestIdentity& identity) {
  const auto bio = [](const std::string& pem) {
    return std::shared_ptr<BIO>(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  };
  const std::shared_ptr<X509> certificate(
      PEM_read_bio_X509(bio(identity.certificate_pem).get(), nullptr, nullptr,
                        nullptr),
      X509_free);
  const std::shared_ptr<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(bio(identity.key_pem).get(), nullptr, nullptr,
                              nullptr),
      EVP_PKEY_free);
  if (SSL_CTX_use_certificate(context, certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    throw std::runtime_error("unusable identity");
  }
}

UniqueFd ConnectTo(int port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
              sizeof address) != 0) {
    throw std::runtime_error("cannot connect to the agent");
  }
  return fd;
}

}  // namespace

ProxyConnection::ProxyConnection(int port,
                                 const testing::TestIdentity& identity,
                                 int tls_version)
    : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
      fd_(ConnectTo(port)) {
  if (!identity.key_pem.empty()) Use(context_.get(), identity);
  SSL_CTX_set_max_proto_version(context_.get(), tls_version);
  ssl_ = std::shared_ptr<SSL>(SSL_new(context_.get()), SSL_free);
  SSL_set_fd(ssl_.get(), fd_.get());
  // A refusal may show only with the first read (RFC 8446 section 4.4.2.4).
  ended_ = SSL_connect(ssl_.get()) != 1;
}

void ProxyConnection::Write(std::string_view bytes) {
  if (!ended_ && !bytes.empty()) {
    SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
  }
}

void ProxyConnection::Finish() {
  SSL_shutdown(ssl_.get());
  shutdown(fd_.get(), SHUT_WR);
}

std::string ProxyConnection::Read(size_t size, absl::Duration timeout) {
  const absl::Time latest = absl::Now() + timeout;
  std::string all;
  while (all.size() < size && !ended_) {
    pollfd waiting = {fd_.get(), POLLIN, 0};
    const int64_t left_ms = absl::ToInt64Milliseconds(latest - absl::Now());
    if (SSL_pending(ssl_.get()) == 0 &&
        (left_ms <= 0 || poll(&waiting, 1, static_cast<int>(left_ms)) <= 0)) {
      return all;
    }
    char buffer[4096];
    const int got =
        SSL_read(ssl_.get(), buffer,
                 static_cast<int>(std::min(sizeof buffer, size - all.size())));
    if (got <= 0) ended_ = true;
    if (got > 0) all.append(buffer, static_cast<size_t>(got));
  }
  return all;
}

bool ProxyConnection::IsClosed(absl::Duration timeout) {
  Read(SIZE_MAX, timeout);
  return ended_;
}

std::string ProxyConnection::AgentName() const {
  const std::shared_ptr<X509> certificate(SSL_get1_peer_certificate(ssl_.get()),
                                          X509_free);
  if (certificate == nullptr) return "";
  const std::shared_ptr<GENERAL_NAMES> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(
          certificate.get(), NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  if (names == nullptr) return "";
  const ASN1_STRING* name = sk_GENERAL_NAME_value(names.get(), 0)->d.dNSName;
  return reinterpret_cast<const char*>(ASN1_STRING_get0_data(name));
}

}  // namespace carme::agent
