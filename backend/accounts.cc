#include "backend/accounts.h"

#include <grpcpp/impl/service_type.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/rpc/account_service.h"
#include "backend/rpc/admin_service.h"
#include "common/status.h"

namespace carme::backend {
namespace {

AuditEvent DepartureEvent(const Credentials::Departure& who) {
  return {.act = "departure",
          .actor = "carme-backend",
          .subject = who.username,
          .decision = AuditDecision::kAllow,
          .result =
              absl::StrCat("the directory lets them in no more: ", who.sessions,
                           " sessions and ", who.tokens, " tokens ended, ",
                           who.suspended, " tokens suspended")};
}

std::vector<RoleRule> RolesOf(const LdapConfig& ldap) {
  std::vector<RoleRule> rules = {{Role::kManager, ldap.manager_group},
                                 {Role::kSupport, ldap.support_group},
                                 {Role::kAdmin, ldap.admin_group}};
  std::erase_if(rules, [](const RoleRule& rule) { return rule.group.empty(); });
  return rules;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Accounts>> Accounts::Open(
    const AccountsBase& base) {
  const IdentityConfig& identity = base.config->identity;
  ASSIGN_OR_RETURN(
      auto sessions,
      SqliteSessions::Load(base.database, base.clock, &identity.sessions));
  ASSIGN_OR_RETURN(auto tokens, AccessTokens::Load(base.database, base.clock,
                                                   &identity.tokens));
  return std::unique_ptr<Accounts>(
      new Accounts(base, std::move(sessions), std::move(tokens)));
}

Accounts::Accounts(const AccountsBase& base,
                   std::unique_ptr<SqliteSessions> sessions,
                   std::unique_ptr<AccessTokens> tokens)
    : base_(base),
      sessions_(std::move(sessions)),
      tokens_(std::move(tokens)),
      standing_(base.directory, base.clock),
      credentials_({sessions_.get(), tokens_.get(), &standing_, base.clock,
                    [audit = base.audit](const Credentials::Departure& who) {
                      audit->Record(DepartureEvent(who));
                    }}) {}

void Accounts::AddServices(
    Factors* factors, LiveJobs* jobs, AdminJobs* admin_jobs,
    std::function<std::vector<CertificateHealth>()> certificates,
    std::function<std::vector<v1::ComponentHealth>()> components,
    std::vector<std::unique_ptr<grpc::Service>>* services) {
  services->push_back(
      NewAccountService({sessions_.get(), tokens_.get(), &credentials_,
                         base_.directory, factors->throttle(), base_.audit}));
  services->push_back(NewAdminService(
      {factors->people(), factors->store(), factors->codes(), sessions_.get(),
       tokens_.get(), &credentials_, jobs, admin_jobs, base_.audit,
       RolesOf(base_.config->identity.ldap), std::move(certificates),
       std::move(components)}));
}

}  // namespace carme::backend
