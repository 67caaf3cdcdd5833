// What carme-metrics asks of the backend. Carries no samples.
#ifndef CARME_BACKEND_RPC_METRICS_METRICS_ACCESS_SERVICE_H_
#define CARME_BACKEND_RPC_METRICS_METRICS_ACCESS_SERVICE_H_

#include <memory>
#include <string>

#include "backend/audit/audit_log.h"
#include "backend/history/history.h"
#include "backend/identity/person_lookup.h"
#include "backend/identity/session.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/jobs/jobs.h"
#include "backend/node_history/node_history.h"
#include "backend/projects/project_memberships.h"
#include "backend/rpc/server/stream_dispatcher.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All pointers outlive the service.
struct MetricsAccessParts {
  Jobs* jobs;
  History* history;  // has ended jobs for longer than `jobs`
  Routes* routes;
  Sessions* sessions;
  PersonLookup* persons;
  const ProjectMemberships* projects;
  StreamDispatcher* dispatcher;
  AuditLog* audit;
  std::string job_ca_pem;
  std::string assertion_public_key;
  NodeHistory* node_history = nullptr;  // null: findings are ignored
};
std::unique_ptr<grpc::Service> NewMetricsAccessService(
    MetricsAccessParts parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_METRICS_METRICS_ACCESS_SERVICE_H_
