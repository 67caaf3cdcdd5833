#include "backend/rpc/server/grpc_server.h"

#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/rpc/server/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// The largest request is a job spec.
constexpr int kMaxRequestBytes = 256 << 10;
constexpr int kMaxMetadataBytes = 16 << 10;

// The machines of the DMZ open a few connections each.
constexpr ConnectionLimits kClientConnections = {
    .max_connections = 512, .max_per_address = 128, .new_per_s = 20};
// Descriptors for other uses: clients, directory, impersonator, SQLite.
constexpr int kReservedDescriptors = 1024;
// New connections a second of one address after its burst: a handshake costs
// about a millisecond.
constexpr int kNewAgentsPerS = 20;

constexpr absl::Duration kClientHandshakeTimeout = absl::Seconds(10);
// A closed connection costs the frontend's next call a handshake.
constexpr absl::Duration kClientIdleTimeout = absl::Minutes(10);

int Milliseconds(absl::Duration duration) {
  return static_cast<int>(absl::ToInt64Milliseconds(duration));
}

// The settings that differ between the ports.
struct PortShape {
  const char* name;
  // Concurrent calls that may block for Slurm, the directory or the disk;
  // further calls get RESOURCE_EXHAUSTED. Streams do not count.
  int max_threads;
  // Idle threads that are kept for the next call. With gRPC's default of two,
  // most calls would start a thread.
  int max_idle_threads;
  size_t max_bytes;  // for gRPC's buffers and calls
  int max_calls_per_connection;
};
constexpr PortShape kClientsShape = {.name = "clients",
                                     .max_threads = 256,
                                     .max_idle_threads = 16,
                                     .max_bytes = size_t{512} << 20,
                                     .max_calls_per_connection = 4096};
// An agent has its stream and one report at a time.
constexpr PortShape kAgentsShape = {.name = "agents",
                                    .max_threads = 64,
                                    .max_idle_threads = 4,
                                    .max_bytes = size_t{512} << 20,
                                    .max_calls_per_connection = 16};

std::shared_ptr<grpc::ServerCredentials> ServerCredentials(
    const ServerIdentity& identity, Port port, AccessGuard& guard) {
  // gRPC's defaults are TLS 1.2 and 1.3.
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

ConnectionLimits LimitsOf(Port port, const TlsConfig& config) {
  if (port == Port::kClients) return kClientConnections;
  return FitToDescriptors(
      {.max_connections = config.max_agent_connections,
       .max_per_address = config.max_agent_connections_per_address,
       .new_per_s = kNewAgentsPerS},
      kReservedDescriptors);
}

void Bound(const PortShape& shape, grpc::ServerBuilder* builder) {
  grpc::ResourceQuota quota(absl::StrCat("carme-backend-", shape.name));
  builder->SetResourceQuota(
      quota.SetMaxThreads(shape.max_threads).Resize(shape.max_bytes));
  builder->SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS,
                               shape.max_idle_threads);
  builder->SetMaxReceiveMessageSize(kMaxRequestBytes);
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                              shape.max_calls_per_connection);
  // Clients send keepalive pings every few seconds on idle streams.
  builder->AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10000);
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    Port port, const TlsConfig& config, const ServerIdentity& identity,
    AccessGuard& guard, const std::vector<grpc::Service*>& services) {
  const PortShape& shape =
      port == Port::kClients ? kClientsShape : kAgentsShape;
  std::unique_ptr<GrpcServer> made(new GrpcServer());
  ASSIGN_OR_RETURN(
      made->connections_,
      ConnectionAcceptor::Listen(
          shape.name, port == Port::kClients ? config.clients : config.agents,
          LimitsOf(port, config)));
  grpc::ServerBuilder builder;
  guard.Install(&builder);
  Bound(shape, &builder);
  const bool agents = port == Port::kAgents;
  builder.AddChannelArgument(
      GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
      Milliseconds(agents ? config.agent_handshake_timeout
                          : kClientHandshakeTimeout));
  builder.AddChannelArgument(
      GRPC_ARG_MAX_CONNECTION_IDLE_MS,
      Milliseconds(agents ? config.agent_idle_timeout : kClientIdleTimeout));
  for (grpc::Service* service : services) builder.RegisterService(service);
  using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  made->hand_over_ = builder.experimental().AddExternalConnectionAcceptor(
      Type::FROM_FD, ServerCredentials(identity, port, guard));
  made->server_ = builder.BuildAndStart();
  if (made->server_ == nullptr) {
    return MakeError(rpc_server_messages::kServerPortNotStarted,
                     {{"port", shape.name}});
  }
  // Started after the server and stopped before it: otherwise gRPC leaks the
  // descriptor.
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

GrpcServer::~GrpcServer() { Shutdown(absl::Now()); }

void GrpcServer::Shutdown(absl::Time deadline) {
  // Null if Start() could not listen.
  if (connections_ != nullptr) connections_->Stop();
  if (server_ == nullptr) return;
  server_->Shutdown(absl::ToChronoTime(deadline));
  server_->Wait();
}

}  // namespace carme::backend
