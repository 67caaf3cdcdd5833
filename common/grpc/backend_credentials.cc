#include "common/grpc/backend_credentials.h"

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/x509v3.h>

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/grpc/grpc_status.h"
#include "common/pki/certificate.h"
#include "common/pki/x509_maker.h"
#include "common/status.h"

namespace carme {
namespace {

using grpc::experimental::TlsCustomVerificationCheckRequest;

std::string TextOf(const grpc::string_ref& text) {
  return std::string(text.data(), text.size());
}

// `pem`: the leaf of a chain that OpenSSL has verified.
absl::Status CheckServer(const std::string& pem, const std::string& name,
                         const Revocations& revoked) {
  const X509Ptr certificate = CertificateFromPem(pem);
  if (certificate == nullptr) {
    return absl::UnauthenticatedError("server shows no certificate");
  }
  if (X509_check_host(certificate.get(), name.data(), name.size(),
                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                          X509_CHECK_FLAG_NEVER_CHECK_SUBJECT,
                      nullptr) != 1) {
    return absl::UnauthenticatedError(absl::StrCat(
        "server's certificate is for another name: expected \"", name, "\""));
  }
  ASSIGN_OR_RETURN(const CertificateFacts facts, FactsOf(certificate.get()));
  if (revoked.Contains(facts.serial)) {
    return absl::UnauthenticatedError(
        absl::StrCat("server's certificate ", facts.serial, " is revoked"));
  }
  return absl::OkStatus();
}

// Replaces gRPC's check of the name.
class ServerVerifier : public grpc::experimental::ExternalCertificateVerifier {
 public:
  explicit ServerVerifier(Revocations revoked) : revoked_(std::move(revoked)) {}

  bool Verify(TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)> /*callback*/,
              grpc::Status* result) override {
    *result = ToGrpc(CheckServer(TextOf(request->peer_cert()),
                                 TextOf(request->target_name()), revoked_));
    return true;  // synchronous
  }
  void Cancel(TlsCustomVerificationCheckRequest*) override {}

 private:
  const Revocations revoked_;
};

}  // namespace

std::shared_ptr<grpc::ChannelCredentials> BackendCredentials(
    const TlsMaterial& tls) {
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(
      std::make_shared<grpc::experimental::StaticDataCertificateProvider>(
          tls.ca, std::vector<grpc::experimental::IdentityKeyCertPair>{
                      {tls.key, tls.certificate}}));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_certificate_verifier(
      grpc::experimental::ExternalCertificateVerifier::Create<ServerVerifier>(
          tls.revoked));
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace carme
