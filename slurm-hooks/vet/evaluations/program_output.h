// Runs a program and keeps the end of its output.
#ifndef CARME_SLURM_HOOKS_VET_EVALUATIONS_PROGRAM_OUTPUT_H_
#define CARME_SLURM_HOOKS_VET_EVALUATIONS_PROGRAM_OUTPUT_H_

#include <string>

#include "absl/status/statusor.h"
#include "slurm-hooks/child_process/child_process.h"
#include "slurm-hooks/vet/config/vet_config.h"

namespace carme::vet {

struct ProgramOutput {
  node::ProcessEnd end;
  std::string text;  // both streams; the last 64 KiB
};

// With this process's environment and directory. Blocks until the program ends
// and its output is closed. Errors of execve(2).
absl::StatusOr<ProgramOutput> RunProgram(const Texts& arguments);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_EVALUATIONS_PROGRAM_OUTPUT_H_
