// Errors of carme-init's start.
#ifndef CARME_SLURM_HOOKS_INIT_MESSAGES_H_
#define CARME_SLURM_HOOKS_INIT_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::node::init_messages {

inline constexpr ErrorTemplate kUsage{
    absl::StatusCode::kInvalidArgument, "INIT_USAGE",
    "expected --socket PATH, --print-environment, or --bridge PATH --port N -- "
    "PROGRAM…: carme-agent starts this program"};

}  // namespace carme::node::init_messages

#endif  // CARME_SLURM_HOOKS_INIT_MESSAGES_H_
