// Which of slurmdbd's runs are those of a job of ours, and what they add up to.
#ifndef CARME_BACKEND_HISTORY_ACCOUNTING_MATCH_H_
#define CARME_BACKEND_HISTORY_ACCOUNTING_MATCH_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "backend/history/history_entry.h"
#include "backend/slurm/accounting/slurm_usage.h"

namespace carme::backend {

// The entry with the figures of its runs: all tasks of an array, and each time
// that it was requeued; and with its end where Carme did not see it. Nothing:
// slurmdbd does not know all of it yet. A run is the job's when the Slurm id,
// the uid and the time of submission are: Slurm gives an id again after some
// years, and at once where its state was lost. Where that time is not recorded,
// the run was submitted about when the record was made, and its comment (where
// the site keeps it) names no other job.
std::optional<HistoryEntry> Accounted(
    const HistoryEntry& entry, const std::vector<AccountedRun>& runs,
    absl::Time now = absl::InfiniteFuture());

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_ACCOUNTING_MATCH_H_
