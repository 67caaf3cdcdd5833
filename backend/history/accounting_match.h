// Which runs of slurmdbd belong to a job, and their totals.
#ifndef CARME_BACKEND_HISTORY_ACCOUNTING_MATCH_H_
#define CARME_BACKEND_HISTORY_ACCOUNTING_MATCH_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "backend/history/history_entry.h"
#include "backend/slurm/accounting/slurm_usage.h"

namespace carme::backend {

// The entry with the totals of its runs (all tasks of an array, all runs of a
// requeued job), and with its end if Carme did not observe it. Nothing:
// slurmdbd does not have all of them yet. A run belongs to the job if Slurm id,
// uid and submission time match: Slurm reuses ids after years, or at once if
// its state was lost. If the submission time is not recorded, the run must have
// been submitted when the record was made, and its comment (if stored) must not
// name another job.
std::optional<HistoryEntry> Accounted(const HistoryEntry& entry,
                                      const std::vector<AccountedRun>& runs,
                                      absl::Time now = absl::InfiniteFuture());

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_ACCOUNTING_MATCH_H_
