// How long Slurm's own limits let a running job become: of its QOS, of its
// partition's QOS, and of its association with all accounts above it. Slurm
// checks none of them when its own user changes a time limit. Pure: the
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
#include "common/ids.h"

namespace carme {

// What it has of each TRES: "cpu", "mem" (MiB), "node", "gres/gpu".
using TresCounts = std::map<std::string, uint64_t>;

// A job as far as its limits depend on it.
struct LimitedJob {
  std::string account{};
  Uid uid{};
  std::string partition{};
  std::string qos{};            // empty: none
  std::string partition_qos{};  // of its partition; empty: none
  absl::Duration walltime{};    // its time limit now
  absl::Duration remaining{};   // of that, from now on
  // Absent: not known. Then no limit of TRES minutes allows more time.
  std::optional<TresCounts> tres{};
};

struct WalltimeLimit {
  absl::Duration most = absl::InfiniteDuration();
  std::string source{};  // "QOS short", "account chem", "ada in account chem"
};

// The shortest time limit that any of these sets: MaxWall, MaxTRESMins, and
// what is left of GrpTRESMins, GrpTRESRunMins and GrpWall. Slurm uses the first
// MaxWall that it finds, QOS before association, user before account; here the
// least of them applies. NOT_FOUND: the association or a QOS is not in
// `accounting`.
absl::StatusOr<WalltimeLimit> LongestWalltimeOf(
    const SlurmAccounting& accounting, const LimitedJob& job);

// "cpu=2,mem=1.50G,node=1" as Slurm writes it; nothing: it is invalid.
std::optional<TresCounts> ParseTres(std::string_view text);

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIMITS_WALLTIME_LIMITS_H_
