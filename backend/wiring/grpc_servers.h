// Runs the backend's services on its two ports.
#ifndef CARME_BACKEND_WIRING_GRPC_SERVERS_H_
#define CARME_BACKEND_WIRING_GRPC_SERVERS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/rpc/server/grpc_server.h"
#include "backend/rpc/server/stream_dispatcher.h"

namespace grpc {
class Service;
}  // namespace grpc

namespace carme::backend {

class GrpcServers {
 public:
  struct Services {
    std::vector<std::unique_ptr<grpc::Service>> clients;
    std::vector<std::unique_ptr<grpc::Service>> agents;
  };
  // UNAVAILABLE: a port cannot be bound. `guard`, `dispatchers` and `identity`
  // must outlive the object.
  static absl::StatusOr<std::unique_ptr<GrpcServers>> Start(
      const TlsConfig& config, const ServerIdentity& identity,
      AccessGuard* guard, std::vector<StreamDispatcher*> dispatchers,
      Services services);
  // Ends all streams, whose clients reconnect, and gives running calls five
  // seconds.
  ~GrpcServers();

  ConnectionCounts agent_connections() const { return agents_->connections(); }

 private:
  explicit GrpcServers(std::vector<StreamDispatcher*> dispatchers);
  const std::vector<StreamDispatcher*> dispatchers_;
  Services services_;
  std::unique_ptr<GrpcServer> clients_;
  std::unique_ptr<GrpcServer> agents_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_GRPC_SERVERS_H_
