// Errors of carme-files before it serves.
#ifndef CARME_SLURM_HOOKS_FILES_MESSAGES_H_
#define CARME_SLURM_HOOKS_FILES_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::files::files_messages {

inline constexpr ErrorTemplate kUsage{
    absl::StatusCode::kInvalidArgument, "FILES_USAGE",
    "expected --socket PATH [--scratch DIR] [--place NAME=DIR]…: carme-agent "
    "starts this program"};

}  // namespace carme::files::files_messages

#endif  // CARME_SLURM_HOOKS_FILES_MESSAGES_H_
