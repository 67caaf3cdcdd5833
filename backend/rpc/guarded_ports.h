// The backend's two ports, each behind TLS and the access guard.
#ifndef CARME_BACKEND_RPC_GUARDED_PORTS_H_
#define CARME_BACKEND_RPC_GUARDED_PORTS_H_

#include "backend/rpc/access_guard.h"
#include "backend/rpc/server_identity.h"
#include "backend/rpc/tls_config.h"

namespace grpc {
class ServerBuilder;
}  // namespace grpc

namespace carme {

// The numbers the kernel gave, once the server is started; 0: not to be had.
struct BoundPorts {
  int clients = 0;
  int agents = 0;
};

// Puts both ports, the guard and the bounds of a call on `builder`: TLS 1.2 or
// 1.3; Port::kClients demands a certificate of the identity's client CA,
// Port::kAgents asks for none. `ports` is filled by BuildAndStart.
void AddGuardedPorts(const TlsConfig& config, const ServerIdentity& identity,
                     AccessGuard& guard, grpc::ServerBuilder* builder,
                     BoundPorts* ports);

}  // namespace carme

#endif  // CARME_BACKEND_RPC_GUARDED_PORTS_H_
