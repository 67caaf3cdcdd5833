// Options of srun that are allowed inside an environment.
//
// The agent runs the node's srun outside the environment. Therefore only
// options are allowed that distribute tasks over the nodes of this job; not
// options that name another job, request a new one, open files or start
// programs outside.
#ifndef CARME_SLURM_HOOKS_SRUN_SRUN_OPTIONS_H_
#define CARME_SLURM_HOOKS_SRUN_SRUN_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::node {

struct SrunCall {
  std::vector<std::string> options;  // "--name" or "--name=value"
  std::string directory;             // of --chdir; empty: the caller's
  bool chooses_mpi = false;          // --mpi is given
  std::vector<std::string> program;  // program and arguments
};

// INVALID_ARGUMENT: an option that is not available here, with the available
// options and what to use instead; a missing value; no program.
absl::StatusOr<SrunCall> ReadSrunCall(const std::vector<std::string>& words);

// Returns the text of `srun --help`: usage, the available options, and the
// replacements for salloc, sbatch, squeue and scancel inside a job.
std::string SrunHelp();

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_SRUN_SRUN_OPTIONS_H_
