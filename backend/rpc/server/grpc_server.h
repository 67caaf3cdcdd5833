// One port of the backend: a gRPC server behind TLS and the access guard. Each
// port has its own threads, memory quota and descriptors, so that load on one
// port does not affect the other.
#ifndef CARME_BACKEND_RPC_SERVER_GRPC_SERVER_H_
#define CARME_BACKEND_RPC_SERVER_GRPC_SERVER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/rpc/access/access_guard.h"
#include "backend/rpc/server/connection_acceptor.h"
#include "backend/rpc/server/server_identity.h"
#include "backend/rpc/server/tls_config.h"

namespace grpc {
class Server;
class Service;
namespace experimental {
class ExternalConnectionAcceptor;
}  // namespace experimental
}  // namespace grpc

namespace carme::backend {

// TLS 1.2 or 1.3. Port::kClients requires a certificate of the identity's
// client CA, Port::kAgents none. A connection that does not complete its
// handshake, or has no call, is closed.
class GrpcServer {
 public:
  // Starts serving. UNAVAILABLE: the port cannot be bound. `guard`, `services`
  // and `identity` must outlive the server.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      Port port, const TlsConfig& config, const ServerIdentity& identity,
      AccessGuard& guard, const std::vector<grpc::Service*>& services);
  // Shuts down without waiting for calls.
  ~GrpcServer();

  int number() const { return connections_->port(); }
  ConnectionCounts connections() const { return connections_->counts(); }
  // Refuses new connections and calls; running calls may continue until
  // `deadline`.
  void Shutdown(absl::Time deadline);

 private:
  GrpcServer() = default;
  std::unique_ptr<ConnectionAcceptor> connections_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> hand_over_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_GRPC_SERVER_H_
