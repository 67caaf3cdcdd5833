#include "backend/history/accounting_match.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace carme {
namespace {

// How far the clocks of slurmctld's and our host may be apart.
constexpr absl::Duration kClocksApart = absl::Minutes(10);

bool IsOf(const AccountedRun& run, const HistoryEntry& entry) {
  if (run.id != entry.slurm_id || run.uid != entry.owner_uid) return false;
  if (!run.comment.empty() &&
      run.comment != absl::StrCat("carme:", entry.id.value())) {
    return false;
  }
  // A requeued job has the time of its last submission.
  return run.submitted > entry.created_at - kClocksApart &&
         run.submitted < entry.ended_at + kClocksApart;
}

}  // namespace

std::optional<HistoryEntry> Accounted(const HistoryEntry& entry,
                                      const std::vector<AccountedRun>& runs) {
  HistoryEntry result = entry;
  result.gpu_seconds = 0;
  result.cpu_seconds = 0;
  std::set<std::string> types;
  bool found = false;
  for (const AccountedRun& run : runs) {
    if (!IsOf(run, entry)) continue;
    if (run.ended == absl::InfiniteFuture()) return std::nullopt;
    found = true;
    const int64_t seconds = absl::ToInt64Seconds(run.elapsed);
    result.gpu_seconds += seconds * run.gpus;
    result.cpu_seconds += seconds * run.cpus;
    result.account = run.account;
    types.insert(run.gpu_types.begin(), run.gpu_types.end());
  }
  if (!found) return std::nullopt;
  result.accounted = true;
  if (!types.empty()) result.gpu_type = absl::StrJoin(types, ",");
  return result;
}

}  // namespace carme
