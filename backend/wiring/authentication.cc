#include "backend/wiring/authentication.h"

#include <grpcpp/impl/service_type.h>

#include "backend/rpc/services/services.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {

Authentication::Authentication(const AuthenticationParts& parts)
    : parts_(parts),
      factors_(parts.database, parts.clock),
      recovery_codes_(parts.database, parts.clock),
      users_(parts.database, parts.clock),
      second_factor_(&factors_, &recovery_codes_,
                     PasskeySiteOf(parts.config->jobs.portal_url,
                                   parts.config->identity.sessions.issuer)),
      pending_enrollments_(parts.clock),
      throttle_(parts.clock, parts.config->identity.login_throttle),
      login_flow_({parts.directory, &second_factor_,
                   &parts.config->identity.factors, &users_, parts.sessions,
                   &throttle_, parts.clock,
                   parts.config->identity.sessions.issuer}),
      reauthentication_(
          {&second_factor_, parts.credentials, &pending_enrollments_,
           &throttle_, parts.clock,
           parts.config->identity.sessions.reauthentication_lifetime}) {}

Authentication::~Authentication() {
  saver_.reset();
  SaveFailures();
}

absl::Status Authentication::Load() {
  RETURN_IF_ERROR(throttle_.Load(parts_.database));
  saver_.emplace(absl::Seconds(5), [this] { SaveFailures(); });
  return absl::OkStatus();
}

void Authentication::SaveFailures() {
  const absl::Status saved = throttle_.Save(parts_.database);
  if (saved.ok()) return;
  LogWarning("saving the failed log-ins failed", {{"error", saved.ToString()}});
}

void Authentication::AddServices(
    std::vector<std::unique_ptr<grpc::Service>>* services) {
  const IdentityConfig& identity = parts_.config->identity;
  services->push_back(NewAuthService(
      {&login_flow_, &reauthentication_, parts_.credentials,
       &second_factor_.site(), &identity.sessions, parts_.audit}));
  services->push_back(NewFactorService(
      {&factors_, &recovery_codes_, &second_factor_, &pending_enrollments_,
       &users_, parts_.directory, &identity.factors, parts_.audit,
       identity.sessions.issuer}));
}

}  // namespace carme::backend
