// carme vet --require N -- COMMAND: vets the nodes of the job, returns what is
// not needed to Slurm, and starts the command on N healthy nodes.
#ifndef CARME_SLURM_HOOKS_VET_CLI_LAUNCH_H_
#define CARME_SLURM_HOOKS_VET_CLI_LAUNCH_H_

#include <string>

#include "absl/status/statusor.h"
#include "slurm-hooks/vet/cli/options.h"

namespace carme::vet {

inline constexpr char kSecretVariable[] = "CARME_VET_SECRET";
inline constexpr char kPortVariable[] = "CARME_VET_PORT";
inline constexpr char kHostVariable[] = "CARME_VET_HOST";

// The program becomes the command. Returns only without it: the exit code.
// FAILED_PRECONDITION: not in a job; UNAVAILABLE: Slurm; the errors of
// Coordinate().
absl::StatusOr<int> VetAndLaunch(const Options& options,
                                 const std::string& config,
                                 const std::string& config_path);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CLI_LAUNCH_H_
