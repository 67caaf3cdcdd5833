// carme.v1.RouteService: tells the proxy where the jobs are, and which sessions
// are over.
#ifndef CARME_BACKEND_RPC_ROUTE_SERVICE_H_
#define CARME_BACKEND_RPC_ROUTE_SERVICE_H_

#include <memory>
#include <string>

#include "backend/audit/audit_log.h"
#include "backend/jobs/routes.h"
#include "backend/rpc/proxy_connections.h"
#include "backend/rpc/stream_pump.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// What the proxy verifies tickets and agents by.
struct RouteKeys {
  std::string ticket_public_key;  // 32 raw bytes
  std::string job_ca_pem;
};

// All but the keys outlive the service.
std::unique_ptr<grpc::Service> NewRouteService(Routes* routes, RouteKeys keys,
                                               StreamPump* pump,
                                               AuditLog* audit,
                                               ProxyConnections* proxies =
                                                   nullptr);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ROUTE_SERVICE_H_
