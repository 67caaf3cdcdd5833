// Checks the Slurm names in templates and projects.
#ifndef CARME_BACKEND_RPC_CONVERT_SLURM_NAMES_H_
#define CARME_BACKEND_RPC_CONVERT_SLURM_NAMES_H_

#include <string>

#include "absl/status/status.h"
#include "backend/policy/spec/job_template.h"
#include "backend/slurm/scheduler.h"

namespace carme::backend {

// Empty fields are not checked.
struct SlurmNames {
  std::string partition{};
  std::string account{};
  std::string qos{};
};

// INVALID_ARGUMENT: Slurm does not know one of the names. UNAVAILABLE: the last
// snapshot does not have it, and Slurm does not respond now. OK when Slurm has
// no accounting or hides it from the backend. May block for one refresh.
absl::Status CheckSlurmNames(const SlurmNames& names, Scheduler* scheduler);
// The same for those of a template.
absl::Status CheckSlurmNamesOf(const JobTemplate& settings,
                               Scheduler* scheduler);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_SLURM_NAMES_H_
