// Shows administrators what the start form offers a user.
#ifndef CARME_BACKEND_RPC_ADMINISTRATION_USER_PREVIEW_SERVICE_H_
#define CARME_BACKEND_RPC_ADMINISTRATION_USER_PREVIEW_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/environments/environments.h"
#include "backend/identity/person_lookup.h"
#include "backend/jobs/jobs.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/reservations/reservations.h"
#include "backend/slurm/scheduler.h"
#include "backend/store/database.h"
#include "backend/templates/templates.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All must outlive the service.
struct UserPreviewServiceParts {
  Database* database;     // of templates and quotas; only its file is read
  PersonLookup* persons;  // that of sessions: a preview shows no newer groups
  Scheduler* scheduler;
  Jobs* jobs;
  Projects* projects;
  Templates* templates;
  Quotas* quotas;
  Reservations* reservations;
  Environments* environments;
  AuditLog* audit;
};
std::unique_ptr<grpc::Service> NewUserPreviewService(
    const UserPreviewServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ADMINISTRATION_USER_PREVIEW_SERVICE_H_
