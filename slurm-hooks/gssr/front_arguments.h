// The command line of gssr 0.3, as those of gssr-record and gssr-analyze. Pure.
#ifndef CARME_SLURM_HOOKS_GSSR_FRONT_ARGUMENTS_H_
#define CARME_SLURM_HOOKS_GSSR_FRONT_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::gssr {

struct FrontArguments {
  std::vector<std::string> command;  // empty: print the usage
  bool is_silent = false;            // nothing on standard output
  // What must not exist: of a recording its folder, or a file.
  std::string recording_folder;
  std::string new_file;
};

// `job_id`: of the default folder of a recording. INVALID_ARGUMENT.
absl::StatusOr<FrontArguments> ParseFrontArguments(
    const std::vector<std::string>& words, const std::string& job_id);

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_FRONT_ARGUMENTS_H_
