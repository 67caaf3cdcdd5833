// carme.v1.LimitService: limits, what is used of them, and who sets them.
#ifndef CARME_BACKEND_RPC_LIMIT_SERVICE_H_
#define CARME_BACKEND_RPC_LIMIT_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/scheduler.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All outlive the service.
struct LimitServiceParts {
  Quotas* quotas;
  Projects* projects;
  Scheduler* scheduler;
  AuditLog* audit;
};
std::unique_ptr<grpc::Service> NewLimitService(const LimitServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_LIMIT_SERVICE_H_
