// MUNGE credentials: prove that a request of AgentService comes from this uid
// on a host of the cluster, by a credential over the request itself
// (common/protobuf/request_digest.h).
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_MUNGE_CREDENTIAL_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_MUNGE_CREDENTIAL_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme::agent {

// Returns a new credential with this payload, valid for one minute and one use.
// Blocks for munged. UNAVAILABLE: munged does not answer; INTERNAL.
absl::StatusOr<std::string> EncodeCredential(std::string_view payload);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_MUNGE_CREDENTIAL_H_
