// Names of Slurm's that an administrator writes into templates and projects.
#ifndef CARME_BACKEND_RPC_CONVERT_SLURM_NAMES_H_
#define CARME_BACKEND_RPC_CONVERT_SLURM_NAMES_H_

#include <string>

#include "absl/status/status.h"
#include "backend/slurm/scheduler.h"

namespace carme::backend {

// Empty: not given.
struct SlurmNames {
  std::string partition{};
  std::string account{};
  std::string qos{};
};

// INVALID_ARGUMENT: Slurm does not have one of them now. UNAVAILABLE: it did
// not when it was last asked, and cannot be asked now. OK also where Slurm has
// no accounting, or does not show it to the backend. Blocks for a refresh at
// most.
absl::Status CheckSlurmNames(const SlurmNames& names, Scheduler* scheduler);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_SLURM_NAMES_H_
