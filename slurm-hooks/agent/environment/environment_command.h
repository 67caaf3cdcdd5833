// The command that creates the environment of a job and runs carme-init in it.
// Functions over values; each runtime is one case here.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_ENVIRONMENT_COMMAND_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_ENVIRONMENT_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {

// Path of Carme's own programs in an image.
inline constexpr char kProgramsInside[] = "/.carme/programs";

// Returns the command, program first. INVALID_ARGUMENT: a path contains a
// separator of Apptainer; FAILED_PRECONDITION: Apptainer is not configured, the
// job has no directory on the disk, or Slurm did not name this node. For an
// EDF, WriteJobEdf must have run.
absl::StatusOr<std::vector<std::string>> EnvironmentCommand(
    const EnvironmentPlan& plan, const EnvironmentFacts& facts,
    const std::string& init_socket);

// Returns the value of {carme}: kProgramsInside, or, without a runtime, the
// directory on the node.
std::string ProgramsIn(const EnvironmentPlan& plan,
                       const EnvironmentFacts& facts);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_ENVIRONMENT_COMMAND_H_
