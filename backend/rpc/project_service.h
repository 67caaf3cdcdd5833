// carme.v1.ProjectService: projects, and who is in them.
#ifndef CARME_BACKEND_RPC_PROJECT_SERVICE_H_
#define CARME_BACKEND_RPC_PROJECT_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/projects/projects.h"
#include "backend/slurm/scheduler.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All outlive the service. A null `scheduler`: Slurm's accounts are not
// checked.
std::unique_ptr<grpc::Service> NewProjectService(
    Projects* projects, AuditLog* audit, Scheduler* scheduler = nullptr);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_PROJECT_SERVICE_H_
