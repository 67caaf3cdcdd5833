// The response of the backend to Register, validated before use.
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_REGISTRATION_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_REGISTRATION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/address.h"
#include "common/pki/machine_identity.h"
#include "slurm-hooks/agent/data_path/grant.h"
#include "slurm-hooks/agent/data_path/proxy_trust.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::v1 {
class ProxyTrust;
class RegisterResponse;
}  // namespace carme::v1

namespace carme::agent {

struct Registration {
  GrantRules rules;
  std::string certificate_pem;
  ProxyTrust trust;
  MachineIdentity proxy;
  JobPlan plan;
  std::vector<net::Address>
      dial;  // proxies to connect to; empty: they connect to the agent
};

// INVALID_ARGUMENT: a field is missing or malformed, which only a backend of
// another version sends; the message names the field.
absl::StatusOr<Registration> CheckRegistration(
    const carme::v1::RegisterResponse& response);
absl::StatusOr<ProxyTrust> CheckProxyTrust(const carme::v1::ProxyTrust& trust);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_REGISTRATION_H_
