// empty_server WORK ADDRESS: what a call over gRPC costs by itself. The
// backend's TLS, and a handler that does nothing; no guard. Ends with SIGTERM.
#include <grpcpp/grpcpp.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <cstdio>

#include "backend/rpc/server/server_identity.h"
#include "carme/v1/account.grpc.pb.h"

namespace carme::backend {
namespace {

class EmptyService : public v1::AccountService::Service {
  grpc::Status GetPasswordRules(grpc::ServerContext*,
                                const v1::GetPasswordRulesRequest*,
                                v1::GetPasswordRulesResponse*) override {
    return grpc::Status::OK;
  }
};

std::shared_ptr<grpc::ServerCredentials> Credentials(
    const ServerIdentity& identity) {
  grpc::experimental::TlsServerCredentialsOptions options(identity.provider());
  options.watch_identity_key_cert_pairs();
  options.watch_root_certs();
  options.set_cert_request_type(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return grpc::experimental::TlsServerCredentials(options);
}

int Serve(const std::string& work, const std::string& address) {
  const std::string pki = work + "/pki";
  const auto identity =
      ServerIdentity::Open({.clients = address,
                            .agents = "",
                            .certificate = pki + "/backend.pem",
                            .key = pki + "/backend.key",
                            .client_ca = pki + "/ca.pem"},
                           work + "/empty");
  if (!identity.ok()) {
    std::fprintf(stderr, "empty_server: %s\n",
                 identity.status().ToString().c_str());
    return 1;
  }
  EmptyService service;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, Credentials(**identity));
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  server->Wait();
  return 0;
}

}  // namespace
}  // namespace carme::backend

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tests/bench/run login\n");
    return 2;
  }
  return carme::backend::Serve(argv[1], argv[2]);
}
