// The backend's services on its two ports, and the order in which they stop.
#ifndef CARME_BACKEND_SERVING_H_
#define CARME_BACKEND_SERVING_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/rpc/guarded_ports.h"
#include "backend/rpc/stream_pump.h"

namespace grpc {
class Service;
}  // namespace grpc

namespace carme::backend {

class Serving {
 public:
  struct Services {
    std::vector<std::unique_ptr<grpc::Service>> clients;
    std::vector<std::unique_ptr<grpc::Service>> agents;
  };
  // UNAVAILABLE: a port cannot be had. `guard` and `pumps` outlive this,
  // and so does what `identity` watches.
  static absl::StatusOr<std::unique_ptr<Serving>> Start(
      const TlsConfig& config, const ServerIdentity& identity,
      AccessGuard* guard, std::vector<StreamPump*> pumps, Services services);
  // Streams are told to come again, calls that are under way get five seconds.
  ~Serving();

  ConnectionCounts agent_connections() const { return agents_->connections(); }

 private:
  explicit Serving(std::vector<StreamPump*> pumps);
  const std::vector<StreamPump*> pumps_;
  Services services_;
  std::unique_ptr<GuardedPort> clients_;
  std::unique_ptr<GuardedPort> agents_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SERVING_H_
