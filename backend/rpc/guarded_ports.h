// The backend's two ports, each behind TLS and the access guard.
#ifndef CARME_BACKEND_RPC_GUARDED_PORTS_H_
#define CARME_BACKEND_RPC_GUARDED_PORTS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/rpc/access_guard.h"
#include "backend/rpc/tls_config.h"

namespace grpc {
class ServerBuilder;
class ServerCredentials;
}  // namespace grpc

namespace carme {

// PEM texts.
struct TlsMaterial {
  std::string certificate;
  std::string key;
  std::string client_ca;
};

// Reads the three files and tries them out, because gRPC would only say that a
// port cannot be had. The files' errors; FAILED_PRECONDITION: not PEM, or the
// key is not the certificate's.
absl::StatusOr<TlsMaterial> ReadTlsMaterial(const TlsConfig& config);

// TLS 1.2 or 1.3. Port::kClients demands a certificate of `client_ca`;
// Port::kAgents asks for none.
std::shared_ptr<grpc::ServerCredentials> ServerCredentials(
    const TlsMaterial& material, Port port, AccessGuard& guard);

// The numbers the kernel gave, once the server is started; 0: not to be had.
struct BoundPorts {
  int clients = 0;
  int agents = 0;
};

// Puts both ports, the guard and the bounds of a call on `builder`. `ports`
// is filled by BuildAndStart.
absl::Status AddGuardedPorts(const TlsConfig& config, AccessGuard& guard,
                             grpc::ServerBuilder* builder, BoundPorts* ports);

}  // namespace carme

#endif  // CARME_BACKEND_RPC_GUARDED_PORTS_H_
