// carme.v1.EnvironmentService: the caller's environment definition files.
#ifndef CARME_BACKEND_RPC_ENVIRONMENT_SERVICE_H_
#define CARME_BACKEND_RPC_ENVIRONMENT_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/environments/environments.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// Both outlive the service.
std::unique_ptr<grpc::Service> NewEnvironmentService(Environments* environments,
                                                     AuditLog* audit);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ENVIRONMENT_SERVICE_H_
