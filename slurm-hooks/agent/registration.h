// What the backend answers to an agent, checked before it is used.
#ifndef CARME_SLURM_HOOKS_AGENT_REGISTRATION_H_
#define CARME_SLURM_HOOKS_AGENT_REGISTRATION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/address.h"
#include "common/pki/machine_identity.h"
#include "common/pki/revocations.h"
#include "slurm-hooks/agent/grant.h"
#include "slurm-hooks/agent/job_plan.h"

namespace carme::v1 {
class ProxyTrust;
class RegisterResponse;
}  // namespace carme::v1

namespace carme::agent {

// Whose certificates are let in. The URI they must carry is another matter.
struct ProxyTrust {
  std::string ca_pem;   // who issues the proxy's
  Revocations revoked;  // which of them it took back
};

struct Registration {
  GrantRules rules;
  std::string certificate_pem;
  ProxyTrust trust;
  MachineIdentity proxy;
  JobPlan plan;
  std::vector<net::Address>
      dial;  // the proxies; empty: they come by themselves
};

// INVALID_ARGUMENT: a field is missing or not of its form, which only a backend
// of another version sends; the field is named.
absl::StatusOr<Registration> CheckRegistration(
    const carme::v1::RegisterResponse& response);
absl::StatusOr<ProxyTrust> CheckProxyTrust(const carme::v1::ProxyTrust& said);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_REGISTRATION_H_
