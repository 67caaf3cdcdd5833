// What the agent reports about its connection to the backend.
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_MESSAGES_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::agent::agent_control_messages {

inline constexpr ErrorTemplate kNoConnection{
    absl::StatusCode::kUnavailable, "AGENT_CONTROL_NO_CONNECTION",
    "no connection to \"{address}\" with a certificate for \"{name}\""};

inline constexpr ErrorTemplate kAuthorityMissing{
    absl::StatusCode::kNotFound, "AGENT_CONTROL_AUTHORITY_MISSING",
    "{cause}: copy ca.pem of the site's authority to this node "
    "(docs/admin/certificates.md)"};

inline constexpr ErrorTemplate kMungeMemory{
    absl::StatusCode::kResourceExhausted, "AGENT_CONTROL_MUNGE_MEMORY",
    "munge: memory"};

}  // namespace carme::agent::agent_control_messages

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_MESSAGES_H_
