// What the job and its node bring, read once at the start and checked before
// anything else is done.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_FACTS_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_FACTS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ids.h"
#include "slurm-hooks/agent/app_command.h"
#include "slurm-hooks/agent/environment_command.h"
#include "slurm-hooks/node_config.h"

namespace carme::agent {

struct JobFacts {
  EnvironmentFacts environment;
  UserAccount account;
  std::vector<std::string> variables;  // of the job, "NAME=value"
  mode_t umask = 077;                  // for what apps write
  std::string address;  // of the node, as it reaches the backend: an IP literal
  std::string config_path;  // of agent.toml
  UseConfig use{};
};

// Sets this process's umask to 077. NOT_FOUND: no name for this uid, or the
// Prolog did not run; FAILED_PRECONDITION: a directory is not what the Prolog
// makes.
absl::StatusOr<JobFacts> ReadJobFacts(const NodeConfig& config, SlurmJobId job);

// Device files that match the patterns of glob(7) and that this process may
// open: in a job, those of its own GPUs.
std::vector<std::string> OpenableDevices(
    const std::vector<std::string>& patterns);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_FACTS_H_
