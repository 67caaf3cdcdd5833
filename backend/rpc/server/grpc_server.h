// The backend's two ports, each a gRPC server of its own behind TLS and the
// access guard, so that what one port is asked takes no thread, no memory quota
// and no descriptor that the other one needs.
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

// TLS 1.2 or 1.3. Port::kClients demands a certificate of the identity's client
// CA, Port::kAgents asks for none. A connection that does not finish its
// handshake, or has no call, is closed.
class GrpcServer {
 public:
  // Serves at once. UNAVAILABLE: the port cannot be had. `guard` and `services`
  // outlive this, and so does what `identity` watches.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      Port port, const TlsConfig& config, const ServerIdentity& identity,
      AccessGuard& guard, const std::vector<grpc::Service*>& services);
  // Shutdown, at once.
  ~GrpcServer();

  int number() const { return connections_->port(); }
  ConnectionCounts connections() const { return connections_->counts(); }
  // No new connections and calls; calls under way go on until `deadline`.
  void Shutdown(absl::Time deadline);

 private:
  GrpcServer() = default;
  std::unique_ptr<ConnectionAcceptor> connections_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> hand_over_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_GRPC_SERVER_H_
