// carme.v1.AuthService: the log-in over gRPC. It adds to LogIn what the network
// needs: equal times, a bound on how many log in at once, and the audit log.
#ifndef CARME_BACKEND_RPC_AUTH_SERVICE_H_
#define CARME_BACKEND_RPC_AUTH_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/identity/fresh_factor.h"
#include "backend/identity/identity_config.h"
#include "backend/identity/log_in.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All outlive the service.
struct AuthServiceParts {
  LogIn* log_in;
  FreshFactor* fresh;
  Sessions* sessions;
  const PasskeySite* site;
  const SessionsConfig* config;
  AuditLog* audit;
};

std::unique_ptr<grpc::Service> NewAuthService(AuthServiceParts parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_AUTH_SERVICE_H_
