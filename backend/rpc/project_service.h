// carme.v1.ProjectService: projects, and who is in them.
#ifndef CARME_BACKEND_RPC_PROJECT_SERVICE_H_
#define CARME_BACKEND_RPC_PROJECT_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/projects/projects.h"

namespace grpc {
class Service;
}

namespace carme {

// Both outlive the service.
std::unique_ptr<grpc::Service> NewProjectService(Projects* projects,
                                                 AuditLog* audit);

}  // namespace carme

#endif  // CARME_BACKEND_RPC_PROJECT_SERVICE_H_
