// What the backend answers to a registration, checked before it is used.
#ifndef CARME_SLURM_HOOKS_AGENT_REGISTRATION_H_
#define CARME_SLURM_HOOKS_AGENT_REGISTRATION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/pki/machine_identity.h"
#include "common/pki/revocations.h"
#include "slurm-hooks/agent/grant.h"

namespace carme::v1 {
class RegisterResponse;
}

namespace carme::agent {

struct Registration {
  GrantRules rules;
  std::string certificate_pem;
  std::string proxy_ca_pem;
  MachineIdentity proxy;
  Revocations revoked;               // proxies' certificates
  std::vector<std::string> command;  // its words not replaced yet
  std::string ready_path;
  std::string public_host;  // host[:port]
};

// INVALID_ARGUMENT: a field is missing or not of its form, which only a backend
// of another version sends; the field is named.
absl::StatusOr<Registration> CheckRegistration(
    const carme::v1::RegisterResponse& response);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_REGISTRATION_H_
