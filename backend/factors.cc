#include "backend/factors.h"

#include <grpcpp/impl/service_type.h>

#include "backend/rpc/auth_service.h"
#include "backend/rpc/factor_service.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {

Factors::Factors(const FactorsBase& base)
    : base_(base),
      store_(base.database, base.clock),
      codes_(base.database, base.clock),
      people_(base.database, base.clock),
      second_factor_(&store_, &codes_,
                     PasskeySiteOf(base.config->jobs.portal_url,
                                   base.config->identity.sessions.issuer)),
      offers_(base.clock),
      throttle_(base.clock, base.config->identity.guesses),
      log_in_({base.directory, &second_factor_, &base.config->identity.factors,
               &people_, base.sessions, &throttle_, base.clock,
               base.config->identity.sessions.issuer}),
      fresh_({&second_factor_, base.credentials, &offers_, &throttle_,
              base.clock, base.config->identity.sessions.fresh_factor}) {}

Factors::~Factors() {
  saver_.reset();
  SaveFailures();
}

absl::Status Factors::Load() {
  RETURN_IF_ERROR(throttle_.Load(base_.database));
  saver_.emplace(absl::Seconds(5), [this] { SaveFailures(); });
  return absl::OkStatus();
}

void Factors::SaveFailures() {
  const absl::Status saved = throttle_.Save(base_.database);
  if (saved.ok()) return;
  LogWarning("failed log-ins not recorded", {{"error", saved.ToString()}});
}

void Factors::AddServices(
    std::vector<std::unique_ptr<grpc::Service>>* services) {
  const IdentityConfig& identity = base_.config->identity;
  services->push_back(NewAuthService({&log_in_, &fresh_, base_.credentials,
                                      &second_factor_.site(),
                                      &identity.sessions, base_.audit}));
  services->push_back(NewFactorService(
      {&store_, &codes_, &second_factor_, &offers_, &people_, base_.directory,
       &identity.factors, base_.audit, identity.sessions.issuer}));
}

}  // namespace carme::backend
