#include "backend/rpc/guarded_ports.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/status.h"

namespace carme {
namespace {

// The largest request of the contract is a job's spec.
constexpr int kMostRequestBytes = 256 << 10;
constexpr int kMostMetadataBytes = 16 << 10;

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
             BIO_free);
}

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
Certificate ReadCertificate(const std::string& pem) {
  return Certificate(
      PEM_read_bio_X509(Reader(pem).get(), nullptr, nullptr, nullptr),
      X509_free);
}

absl::Status NotPem(const std::string& path, const char* what) {
  return absl::FailedPreconditionError(
      absl::StrCat("\"", path, "\": expected ", what, " in PEM"));
}

absl::Status Check(const TlsMaterial& material, const TlsConfig& config) {
  const Certificate certificate = ReadCertificate(material.certificate);
  if (certificate == nullptr) {
    return NotPem(config.certificate, "a certificate");
  }
  if (ReadCertificate(material.client_ca) == nullptr) {
    return NotPem(config.client_ca, "a certificate");
  }
  // An empty password: a key that needs one must not ask at the terminal.
  std::string no_password;
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(Reader(material.key).get(), nullptr, nullptr,
                              no_password.data()),
      EVP_PKEY_free);
  if (key == nullptr) return NotPem(config.key, "a key without password");
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return absl::FailedPreconditionError(absl::StrCat(
        "\"", config.key, "\" is not the key of \"", config.certificate, "\""));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsMaterial> ReadTlsMaterial(const TlsConfig& config) {
  TlsMaterial material;
  ASSIGN_OR_RETURN(material.certificate, ReadFile(config.certificate));
  ASSIGN_OR_RETURN(material.key, ReadSecretFile(config.key));
  ASSIGN_OR_RETURN(material.client_ca, ReadFile(config.client_ca));
  RETURN_IF_ERROR(Check(material, config));
  return material;
}

std::shared_ptr<grpc::ServerCredentials> ServerCredentials(
    const TlsMaterial& material, Port port, AccessGuard& guard) {
  // gRPC's own bounds are TLS 1.2 and 1.3.
  grpc::SslServerCredentialsOptions options(
      port == Port::kClients
          ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
          : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  options.pem_key_cert_pairs = {{material.key, material.certificate}};
  if (port == Port::kClients) options.pem_root_certs = material.client_ca;
  std::shared_ptr<grpc::ServerCredentials> credentials =
      grpc::SslServerCredentials(options);
  credentials->SetAuthMetadataProcessor(
      port == Port::kClients ? guard.ForClients() : guard.ForAgents());
  return credentials;
}

absl::Status AddGuardedPorts(const TlsConfig& config, AccessGuard& guard,
                             grpc::ServerBuilder* builder, BoundPorts* ports) {
  ASSIGN_OR_RETURN(const TlsMaterial material, ReadTlsMaterial(config));
  guard.Install(builder);
  // Two backends on one port would share the calls between them.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMostMetadataBytes);
  // The clients ask every few seconds whether a quiet stream still stands.
  builder->AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10000);
  builder->SetMaxReceiveMessageSize(kMostRequestBytes);
  builder->AddListeningPort(config.clients,
                            ServerCredentials(material, Port::kClients, guard),
                            &ports->clients);
  builder->AddListeningPort(config.agents,
                            ServerCredentials(material, Port::kAgents, guard),
                            &ports->agents);
  return absl::OkStatus();
}

}  // namespace carme
