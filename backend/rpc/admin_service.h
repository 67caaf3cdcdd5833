// carme.v1.AdminService: what support reads and administrators change about
// the people of a site. Nothing in here enters somebody's session.
#ifndef CARME_BACKEND_RPC_ADMIN_SERVICE_H_
#define CARME_BACKEND_RPC_ADMIN_SERVICE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/identity/credentials.h"
#include "backend/identity/factor_store.h"
#include "backend/identity/people.h"
#include "backend/identity/recovery_codes.h"
#include "backend/jobs/admin_jobs.h"
#include "backend/jobs/live_jobs.h"
#include "carme/v1/admin.pb.h"
#include "common/pki/expiry.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// Who gets a role: the directory's group.
struct RoleRule {
  Role role;
  std::string group;
};

struct AdminServiceParts {
  People* people;
  FactorStore* factors;
  RecoveryCodes* recovery_codes;
  SqliteSessions* sessions;
  AccessTokens* tokens;
  Credentials* credentials;
  LiveJobs* jobs;
  AdminJobs* admin_jobs = nullptr;
  AuditLog* audit;
  std::vector<RoleRule> roles;
  std::function<std::vector<CertificateHealth>()> certificates;
  // HealthMonitor::Report.
  std::function<std::vector<v1::ComponentHealth>()> components = {};
};

// All parts outlive the service.
std::unique_ptr<grpc::Service> NewAdminService(AdminServiceParts parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ADMIN_SERVICE_H_
