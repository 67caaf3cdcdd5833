// The environment definition file (EDF) that `srun --environment` gets for a
// job: the one that the backend rendered, or what a file of the user's amounts
// to on this node; with the folders that every job of Carme has in its
// environment.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_EDF_ENVIRONMENT_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_EDF_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/edf/edf.h"
#include "slurm-hooks/agent/environment/environment_command.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {

// Where it is written, in the job's runtime directory.
std::string EdfFile(const EnvironmentFacts& facts);

// Where later steps find the environment on this node: the process id of the
// first process in it.
std::string EnvironmentPidFile(const EnvironmentFacts& facts);

// What the plan's environment amounts to. A file is read with the rights of
// this process, which is the user's, and with the variables of the job; paths
// are relative to the home. INVALID_ARGUMENT: it cannot be used, with the first
// reason; all of them are logged. Blocks.
absl::StatusOr<Edf> RenderPlannedEdf(const EnvironmentPlan& plan,
                                     const EnvironmentFacts& facts,
                                     const std::vector<std::string>& variables);

// Home, scratch and storage go before the environment's own mounts, which may
// lie in them, unless it puts something else there; the job's runtime
// directory, Carme's programs and what NodeSshSetup wrote go last.
Edf WithJobFolders(Edf edf, const EnvironmentFacts& facts);

// All of it, written to EdfFile. Where the backend knows the image's digest,
// the image is checked against it; `digest_cache` as for CheckImageDigest.
absl::Status WriteJobEdf(const EnvironmentPlan& plan,
                         const EnvironmentFacts& facts,
                         const std::vector<std::string>& variables,
                         const std::string& digest_cache);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_EDF_ENVIRONMENT_H_
