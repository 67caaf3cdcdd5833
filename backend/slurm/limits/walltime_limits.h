// The longest walltime that Slurm's own limits allow a running job: those of
// its QOS, its partition's QOS, and its association with all accounts above it.
// Slurm checks none of them when SlurmUser changes a time limit. Pure; the
// backend's policy and the impersonator share it.
#ifndef CARME_BACKEND_SLURM_LIMITS_WALLTIME_LIMITS_H_
#define CARME_BACKEND_SLURM_LIMITS_WALLTIME_LIMITS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/slurm/limits/slurm_accounting.h"
#include "common/display_text.h"
#include "common/ids.h"

namespace carme {

// Amount of each TRES: "cpu", "mem" (MiB), "node", "gres/gpu".
using TresCounts = std::map<std::string, uint64_t>;

// The properties of a job that its limits depend on.
struct LimitedJob {
  std::string account{};
  Uid uid{};
  std::string partition{};
  std::string qos{};            // empty: none
  std::string partition_qos{};  // of its partition; empty: none
  absl::Duration walltime{};    // its current time limit
  absl::Duration remaining{};   // of `walltime`, from now on
  // Absent: unknown. Then limits of TRES minutes allow no more time.
  std::optional<TresCounts> tres{};
};

struct WalltimeLimit {
  absl::Duration max = absl::InfiniteDuration();
  DisplayText source{};  // "QOS short", "account chem", "ada in account chem"
};

// The smallest of MaxWall, MaxTRESMins, and what is left of GrpTRESMins,
// GrpTRESRunMins and GrpWall. Slurm uses the first MaxWall that it finds (QOS
// before association, user before account); here the smallest one applies.
// NOT_FOUND: the association or a QOS is not in `accounting`.
absl::StatusOr<WalltimeLimit> MaxWalltimeFor(const SlurmAccounting& accounting,
                                             const LimitedJob& job);

// "cpu=2,mem=1.50G,node=1" as Slurm writes it; empty: invalid.
std::optional<TresCounts> ParseTres(std::string_view text);

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIMITS_WALLTIME_LIMITS_H_
