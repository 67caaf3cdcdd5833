// Errors of the terminal.
#ifndef CARME_SLURM_HOOKS_SHELL_MESSAGES_H_
#define CARME_SLURM_HOOKS_SHELL_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::shell::shell_messages {

inline constexpr ErrorTemplate kUsage{
    absl::StatusCode::kInvalidArgument, "SHELL_USAGE",
    "expected --socket PATH: carme-agent starts this program"};

inline constexpr ErrorTemplate kTooManyTerminals{
    absl::StatusCode::kResourceExhausted, "SHELL_TOO_MANY_TERMINALS",
    "{max} terminals are open already: close one"};

}  // namespace carme::shell::shell_messages

#endif  // CARME_SLURM_HOOKS_SHELL_MESSAGES_H_
