// How the environment of a job is entered: the command that makes it and runs
// carme-init in it. A function over values; each runtime is one case here.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_ENVIRONMENT_COMMAND_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_ENVIRONMENT_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {

// Where Carme's own programs lie within an image.
inline constexpr char kProgramsInside[] = "/.carme/programs";

// The program first. INVALID_ARGUMENT: a path holds what Apptainer takes for a
// separator; FAILED_PRECONDITION: the node has no Apptainer, or the job no
// directory on its disk; or Slurm did not say which node this is.
// REQUIRES: for an EDF, that it has been written (edf_environment.h).
absl::StatusOr<std::vector<std::string>> EnvironmentCommand(
    const EnvironmentPlan& plan, const EnvironmentFacts& facts,
    const std::string& init_socket);

// {carme}: kProgramsInside, or, without a runtime, the node's own.
std::string ProgramsIn(const EnvironmentPlan& plan,
                       const EnvironmentFacts& facts);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_ENVIRONMENT_COMMAND_H_
