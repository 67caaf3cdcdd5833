#include "backend/wiring/accounts.h"

#include <grpcpp/impl/service_type.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/rpc/services/services.h"
#include "common/status.h"

namespace carme::backend {
namespace {

AuditEvent DeprovisionEvent(const TokenAuthenticator::Deprovisioned& user) {
  return {.act = "departure",
          .actor = "carme-backend",
          .subject = user.username,
          .decision = AuditDecision::kAllow,
          .result = absl::StrCat(
              "the directory no longer allows the user: ", user.sessions,
              " sessions ended, ", user.tokens, " tokens revoked, ",
              user.suspended, " tokens suspended")};
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
    const AccountsParts& parts) {
  const IdentityConfig& identity = parts.config->identity;
  ASSIGN_OR_RETURN(
      auto sessions,
      SessionStore::Load(parts.database, parts.clock, &identity.sessions));
  ASSIGN_OR_RETURN(auto tokens, AccessTokens::Load(parts.database, parts.clock,
                                                   &identity.tokens));
  return std::unique_ptr<Accounts>(
      new Accounts(parts, std::move(sessions), std::move(tokens)));
}

Accounts::Accounts(const AccountsParts& parts,
                   std::unique_ptr<SessionStore> sessions,
                   std::unique_ptr<AccessTokens> tokens)
    : parts_(parts),
      sessions_(std::move(sessions)),
      tokens_(std::move(tokens)),
      directory_cache_(parts.directory, parts.clock),
      credentials_(
          {sessions_.get(), tokens_.get(), &directory_cache_, parts.clock,
           [audit =
                parts.audit](const TokenAuthenticator::Deprovisioned& user) {
             audit->Record(DeprovisionEvent(user));
           }}) {}

void Accounts::AddServices(
    Authentication* authentication, ActiveJobs* jobs, AdminJobs* admin_jobs,
    std::function<std::vector<CertificateHealth>()> certificates,
    std::function<std::vector<v1::ComponentHealth>()> components,
    std::vector<std::unique_ptr<grpc::Service>>* services) {
  services->push_back(NewAccountService(
      {sessions_.get(), tokens_.get(), &credentials_, parts_.directory,
       authentication->throttle(), parts_.audit}));
  services->push_back(
      NewAdminService({authentication->users(), authentication->factors(),
                       authentication->recovery_codes(), sessions_.get(),
                       tokens_.get(), &credentials_, jobs, admin_jobs,
                       parts_.audit, RolesOf(parts_.config->identity.ldap),
                       std::move(certificates), std::move(components)}));
}

}  // namespace carme::backend
