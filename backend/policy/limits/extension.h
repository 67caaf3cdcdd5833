// How long a running job may become. Pure.
#ifndef CARME_BACKEND_POLICY_LIMITS_EXTENSION_H_
#define CARME_BACKEND_POLICY_LIMITS_EXTENSION_H_

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/identity/role.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/limits.h"
#include "backend/slurm/limits/walltime_limits.h"
#include "backend/slurm/snapshot.h"
#include "common/display_text.h"

namespace carme::backend {

struct ExtensionInput {
  absl::Duration walltime{};      // current
  absl::Duration site_longest{};  // [extension]; 0: no extensions
  Role role = Role::kUser;
  Limits limits{};
  std::optional<JobTemplate> job_template{};
  const SlurmPartition* partition = nullptr;  // null: not known
  // For a linked job: the end of the job that it joined, as a walltime.
  std::optional<absl::Duration> joined_longest{};
  // Slurm's limits and their inputs. Null: Slurm enforces none, or hides them
  // from the backend; the impersonator always checks them.
  const SlurmAccounting* accounting = nullptr;
  LimitedJob slurm_job{};
};

// Null: there is none of this name.
const SlurmPartition* PartitionNamed(const SlurmSnapshot& cluster,
                                     std::string_view name);

// The lowest limit of the total walltime, and its source.
struct LongestWalltime {
  absl::Duration max{};
  DisplayText source{};
};
LongestWalltime LongestOf(const ExtensionInput& input);

// The possible extension in whole minutes; 0: none.
absl::Duration ExtendableBy(const ExtensionInput& input);

// INVALID_ARGUMENT: not whole minutes, or less than one; PERMISSION_DENIED: the
// limit, its value and its source.
absl::Status CheckExtension(const ExtensionInput& input, absl::Duration by);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_LIMITS_EXTENSION_H_
