// How long a running job may become: pure.
#ifndef CARME_BACKEND_POLICY_LIMITS_EXTENSION_H_
#define CARME_BACKEND_POLICY_LIMITS_EXTENSION_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/identity/role.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/limits.h"
#include "backend/slurm/snapshot.h"
#include "backend/slurm/limits/walltime_limits.h"

namespace carme::backend {

struct ExtensionInput {
  absl::Duration walltime{};      // as it is now
  absl::Duration site_longest{};  // [extension]; 0: not offered
  Role role = Role::kUser;
  Limits limits{};
  std::optional<JobTemplate> job_template{};
  const SlurmPartition* partition = nullptr;  // null: Slurm has none such
  // Of a companion: the end of the job that it joined, as a walltime of its
  // own.
  std::optional<absl::Duration> joined_longest{};
  // Slurm's limits, and what they depend on. Null: Slurm enforces none, or the
  // backend is not shown them; the impersonator checks them in any case.
  const SlurmAccounting* accounting = nullptr;
  LimitedJob slurm_job{};
};

// Null: there is none of this name.
const SlurmPartition* PartitionNamed(const SlurmSnapshot& cluster,
                                     std::string_view name);

// The narrowest limit of the whole walltime, and who set it.
struct LongestWalltime {
  absl::Duration most{};
  std::string source{};
};
LongestWalltime LongestOf(const ExtensionInput& input);

// How much longer it may become, in whole minutes; 0: not at all.
absl::Duration ExtendableBy(const ExtensionInput& input);

// INVALID_ARGUMENT: not whole minutes, or less than one; PERMISSION_DENIED: the
// limit, its value and who set it.
absl::Status CheckExtension(const ExtensionInput& input,
                            absl::Duration by);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_LIMITS_EXTENSION_H_
