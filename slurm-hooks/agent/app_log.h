// Where an app's output goes: a file in the user's home, which the portal shows
// and which outlives the job.
#ifndef CARME_SLURM_HOOKS_AGENT_APP_LOG_H_
#define CARME_SLURM_HOOKS_AGENT_APP_LOG_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/ids.h"
#include "common/unique_fd.h"

namespace carme::agent {

// <home>/.carme/<job>.<app>.log
std::string AppLogPath(const std::string& home, const JobId& job,
                       const std::string& app);

// Opened for reading and appending, made 0600 when there is none; no link is
// followed. FAILED_PRECONDITION: no regular file; errors of open(2).
absl::StatusOr<UniqueFd> OpenAppLog(const std::string& path);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_APP_LOG_H_
