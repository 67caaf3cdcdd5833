// The environment definition file (EDF) that `srun --environment` gets for a
// job: the one rendered by the backend, or a file of the user rendered on this
// node, plus the directories that every Carme job has.
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

// Path of the written EDF in the job's runtime directory.
std::string EdfFile(const EnvironmentFacts& facts);

// Path of the file by which later steps find the environment on this node: it
// contains the process id of the first process in it.
std::string EnvironmentPidFile(const EnvironmentFacts& facts);

// Renders the environment of the plan. A file is read with the rights of this
// process, which is the user's, and with the variables of the job; paths are
// relative to the home directory. INVALID_ARGUMENT: the first problem; all
// problems are logged. Blocks.
absl::StatusOr<Edf> RenderPlannedEdf(const EnvironmentPlan& plan,
                                     const EnvironmentFacts& facts,
                                     const std::vector<std::string>& variables);

// Adds the job's directories. Home, scratch and storage come before the mounts
// of the environment, which may be inside them, unless the environment mounts
// something else there. The job's runtime directory, Carme's programs and the
// files of NodeSshSetup come last.
Edf WithJobFolders(Edf edf, const EnvironmentFacts& facts);

// Writes the complete EDF to EdfFile. If the backend sent the digest of the
// image, the image is verified; `digest_cache` as for CheckImageDigest.
absl::Status WriteJobEdf(const EnvironmentPlan& plan,
                         const EnvironmentFacts& facts,
                         const std::vector<std::string>& variables,
                         const std::string& digest_cache);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_EDF_ENVIRONMENT_H_
