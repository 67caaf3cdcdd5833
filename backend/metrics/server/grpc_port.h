// A port of carme-metrics: a gRPC server behind mutual TLS, within limits.
#ifndef CARME_BACKEND_METRICS_SERVER_GRPC_PORT_H_
#define CARME_BACKEND_METRICS_SERVER_GRPC_PORT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/rpc/server/connection_acceptor.h"
#include "backend/rpc/server/server_identity.h"

namespace grpc {
class Server;
class Service;
namespace experimental {
class ExternalConnectionAcceptor;
}  // namespace experimental
}  // namespace grpc

namespace carme::metrics {

class GrpcPort {
 public:
  struct Options {
    const char* name;
    std::string address;  // address:port
    backend::ConnectionLimits connections;
    int max_threads = 64;  // blocking calls that run at the same time
    int max_calls_per_connection = 64;
    size_t max_bytes = size_t{256} << 20;  // for gRPC's buffers and calls
    int max_request_bytes = 1 << 20;
  };
  // Starts serving; the clients' certificates are issued by the CA of
  // `identity`. UNAVAILABLE: the port cannot be bound. `services` and
  // `identity` must outlive the port.
  static absl::StatusOr<std::unique_ptr<GrpcPort>> Start(
      const Options& options, const backend::ServerIdentity& identity,
      const std::vector<grpc::Service*>& services);
  // Ends running calls after a second.
  ~GrpcPort();

  int number() const { return connections_->port(); }
  backend::ConnectionCounts connections() const {
    return connections_->counts();
  }

 private:
  GrpcPort() = default;
  std::unique_ptr<backend::ConnectionAcceptor> connections_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> hand_over_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_SERVER_GRPC_PORT_H_
