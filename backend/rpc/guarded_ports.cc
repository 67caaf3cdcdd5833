#include "backend/rpc/guarded_ports.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server_builder.h>

namespace carme {
namespace {

// The largest request of the contract is a job's spec.
constexpr int kMostRequestBytes = 256 << 10;
constexpr int kMostMetadataBytes = 16 << 10;

std::shared_ptr<grpc::ServerCredentials> ServerCredentials(
    const ServerIdentity& identity, Port port, AccessGuard& guard) {
  // gRPC's own bounds are TLS 1.2 and 1.3.
  grpc::experimental::TlsServerCredentialsOptions options(identity.provider());
  options.watch_identity_key_cert_pairs();
  if (port == Port::kClients) {
    options.watch_root_certs();
    options.set_cert_request_type(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  } else {
    options.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  }
  std::shared_ptr<grpc::ServerCredentials> credentials =
      grpc::experimental::TlsServerCredentials(options);
  credentials->SetAuthMetadataProcessor(
      port == Port::kClients ? guard.ForClients() : guard.ForAgents());
  return credentials;
}

}  // namespace

void AddGuardedPorts(const TlsConfig& config, const ServerIdentity& identity,
                     AccessGuard& guard, grpc::ServerBuilder* builder,
                     BoundPorts* ports) {
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
                            ServerCredentials(identity, Port::kClients, guard),
                            &ports->clients);
  builder->AddListeningPort(config.agents,
                            ServerCredentials(identity, Port::kAgents, guard),
                            &ports->agents);
}

}  // namespace carme
