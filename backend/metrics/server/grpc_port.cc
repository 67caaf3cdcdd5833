#include "backend/metrics/server/grpc_port.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/metrics/server/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr int kMaxMetadataBytes = 16 << 10;
constexpr int kIdleThreads = 4;
constexpr int kHandshakeTimeout_ms = 10'000;
constexpr int kIdleTimeout_ms = 600'000;
constexpr absl::Duration kDrain = absl::Seconds(1);

std::shared_ptr<grpc::ServerCredentials> Credentials(
    const backend::ServerIdentity& identity) {
  grpc::experimental::TlsServerCredentialsOptions options(identity.provider());
  options.watch_identity_key_cert_pairs();
  options.watch_root_certs();
  options.set_cert_request_type(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return grpc::experimental::TlsServerCredentials(options);
}

void Bound(const GrpcPort::Options& options, grpc::ServerBuilder* builder) {
  grpc::ResourceQuota quota(absl::StrCat("carme-metrics-", options.name));
  builder->SetResourceQuota(
      quota.SetMaxThreads(options.max_threads).Resize(options.max_bytes));
  builder->SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, kIdleThreads);
  builder->SetMaxReceiveMessageSize(options.max_request_bytes);
  for (const auto& [name, value] :
       {std::pair{GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes},
        {GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_calls_per_connection},
        {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeTimeout_ms},
        {GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleTimeout_ms},
        {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000},
        {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
        {GRPC_ARG_KEEPALIVE_TIME_MS, 30'000},
        {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000}}) {
    builder->AddChannelArgument(name, value);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcPort>> GrpcPort::Start(
    const Options& options, const backend::ServerIdentity& identity,
    const std::vector<grpc::Service*>& services) {
  std::unique_ptr<GrpcPort> made(new GrpcPort());
  ASSIGN_OR_RETURN(made->connections_,
                   backend::ConnectionAcceptor::Listen(
                       options.name, options.address, options.connections));
  grpc::ServerBuilder builder;
  Bound(options, &builder);
  for (grpc::Service* service : services) builder.RegisterService(service);
  using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  made->hand_over_ = builder.experimental().AddExternalConnectionAcceptor(
      Type::FROM_FD, Credentials(identity));
  made->server_ = builder.BuildAndStart();
  if (made->server_ == nullptr) {
    return MakeError(server_messages::kNotStarted, {{"port", options.name}});
  }
  made->connections_->Start(
      [hand_over = made->hand_over_.get()](int listener, UniqueFd connection) {
        grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters
            handed;
        handed.listener_fd = listener;
        handed.fd = connection.release();
        hand_over->HandleNewConnection(&handed);
      });
  return made;
}

GrpcPort::~GrpcPort() {
  // Null if Start() could not listen.
  if (connections_ != nullptr) connections_->Stop();
  if (server_ == nullptr) return;
  server_->Shutdown(absl::ToChronoTime(absl::Now() + kDrain));
  server_->Wait();
}

}  // namespace carme::metrics
