// How the environment of a job is entered: the command that makes it and runs
// carme-init in it. A function over values; each runtime is one case here.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_COMMAND_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "slurm-hooks/agent/job_plan.h"

namespace carme::agent {

// Where Carme's own programs lie within an image.
inline constexpr char kProgramsInside[] = "/.carme/programs";

// What the node and the job bring to it.
struct EnvironmentFacts {
  std::string apptainer;  // its path; empty: this node has none
  std::string srun = {};  // its path
  std::string node = {};  // as Slurm calls it
  std::string programs;   // where carme-init and programs for apps lie
  std::string directory;  // the job's runtime directory
  std::string scratch;    // the job's own on the node's disk; empty: none
  std::string storage{};  // in the job's parallel file system; empty: none
  std::string home;       // the user's
  bool nvidia = false;    // the node has NVIDIA's driver, the job its GPUs
  std::vector<std::string> devices;  // other device files the job may open
};

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

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_COMMAND_H_
