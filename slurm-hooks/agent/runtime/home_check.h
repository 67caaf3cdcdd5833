// Checks that the user's home directory is writable. In a full or read-only
// home directory programs fail without a message, because their logs are there.
#ifndef CARME_SLURM_HOOKS_AGENT_RUNTIME_HOME_CHECK_H_
#define CARME_SLURM_HOOKS_AGENT_RUNTIME_HOME_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "common/display_text.h"

namespace carme::agent {

// Writes a small unnamed file into `directory`, which is then gone. Returns the
// errors of open(2), write(2) and fsync(2) with the directory quoted: over
// quota, no space, no permission. Blocks for the file system.
absl::Status CheckWritable(const std::string& directory);

// Returns `detail` of a failed job with the problem of the home directory
// appended. Returns `detail` unchanged when there is no problem or it already
// contains the same error.
DisplayText WithHomeProblem(DisplayText detail, int exit_code,
                            const std::string& home);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_RUNTIME_HOME_CHECK_H_
