// Whether the user's home directory can be written: a full or closed one makes
// programs fail without a word, because their logs lie there.
#ifndef CARME_SLURM_HOOKS_AGENT_HOME_CHECK_H_
#define CARME_SLURM_HOOKS_AGENT_HOME_CHECK_H_

#include <string>

#include "absl/status/status.h"

namespace carme::agent {

// Writes a small file without a name into `directory` and lets go of it.
// The errors of open(2), write(2) and fsync(2) with the directory quoted: over
// quota, no space, no permission. Blocks for the file system.
absl::Status CheckWritable(const std::string& directory);

// `detail` of a failed job, with what is wrong with the home directory behind
// it; as it is when nothing is wrong or `detail` names the same error.
std::string WithHomeProblem(std::string detail, int exit_code,
                            const std::string& home);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_HOME_CHECK_H_
