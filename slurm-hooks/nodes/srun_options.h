// What of srun's options a user within an environment may give.
//
// The agent runs the node's srun for them, outside. So only options are taken
// that say how tasks are spread over the job's own nodes: none that names
// another job or asks for a new one, opens files or starts programs outside.
#ifndef CARME_SLURM_HOOKS_NODES_SRUN_OPTIONS_H_
#define CARME_SLURM_HOOKS_NODES_SRUN_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::node {

struct SrunCall {
  std::vector<std::string>
      options;               // each one word: "--name" or "--name=value"
  std::string directory;     // of --chdir; empty: where it was called
  bool chooses_mpi = false;  // --mpi is among the options
  std::vector<std::string> program;  // and its arguments
};

// INVALID_ARGUMENT: an option that is not available here, quoted, with the
// options that are and what to use instead; one without its value; no program.
absl::StatusOr<SrunCall> ReadSrunCall(const std::vector<std::string>& words);

// The text of `srun --help`: usage, the available options, and what replaces
// salloc, sbatch, squeue and scancel within a job.
std::string SrunHelp();

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_SRUN_OPTIONS_H_
