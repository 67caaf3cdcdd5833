#include "backend/history/accounting_match.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/jobs/state/job_ending.h"
#include "backend/policy/spec/array.h"

namespace carme::backend {
namespace {

// The maximum difference between the clocks of slurmctld's host and this one.
constexpr absl::Duration kClocksApart = absl::Minutes(10);
// The time after which slurmdbd has all tasks of an ended array.
constexpr absl::Duration kReportedWithin = absl::Minutes(2);

// Whether the comment names another job of Carme. Other texts are the user's
// and are ignored.
bool NamesOther(const std::string& comment, const JobId& id) {
  return absl::StartsWith(comment, "carme:") &&
         comment != absl::StrCat("carme:", id.value());
}

bool IsOf(const AccountedRun& run, const HistoryEntry& entry) {
  if (run.id != entry.slurm_id || run.uid != entry.owner_uid) return false;
  // A requeued job has the time of its last submission.
  if (entry.slurm_submitted_at) {
    return run.submitted == *entry.slurm_submitted_at ||
           (run.submitted > *entry.slurm_submitted_at &&
            run.submitted < entry.ended_at);
  }
  return !NamesOther(run.comment, entry.id) &&
         run.submitted > entry.created_at - kClocksApart &&
         run.submitted < entry.ended_at + kClocksApart;
}

// The end of a job that Carme did not observe, if one run has it.
void TakeEnd(const AccountedRun& run, HistoryEntry* entry) {
  if (entry->end != v1::JOB_END_UNKNOWN || run.is_array) return;
  SlurmJob slurm;
  slurm.state = run.state;
  slurm.exit_code = run.exit_code;
  if (run.state == SlurmState::kCancelled) {
    slurm.cancelled_by = run.cancelled_by;
  }
  Job job;
  job.owner_uid = entry->owner_uid;
  job.spec = entry->spec;
  job.nodes = run.nodes;
  JobEnding ending = EndingOf(job, slurm);
  entry->end = ending.end;
  entry->reason = std::move(ending.reason);
  entry->exit_code = run.exit_code;
  if (run.started) entry->started_at = run.started;
  entry->ended_at = run.ended;
}

}  // namespace

std::optional<HistoryEntry> Accounted(const HistoryEntry& entry,
                                      const std::vector<AccountedRun>& runs,
                                      absl::Time now) {
  HistoryEntry result = entry;
  result.gpu_seconds = 0;
  result.cpu_seconds = 0;
  std::set<std::string> types;
  bool found = false;
  const AccountedRun* last = nullptr;
  std::set<uint32_t> tasks;
  for (const AccountedRun& run : runs) {
    if (!IsOf(run, entry)) continue;
    if (run.ended == absl::InfiniteFuture()) return std::nullopt;
    found = true;
    if (run.task) tasks.insert(*run.task);
    if (last == nullptr || run.ended > last->ended) last = &run;
    const int64_t seconds = absl::ToInt64Seconds(run.elapsed);
    result.gpu_seconds += seconds * run.gpus;
    result.cpu_seconds += seconds * run.cpus;
    result.account = run.account;
    types.insert(run.gpu_types.begin(), run.gpu_types.end());
  }
  if (!found) return std::nullopt;
  // Slurm reports the ends of an array's tasks one by one. A task that never
  // started has no run of its own.
  const bool all_tasks =
      !entry.spec.batch ||
      static_cast<int64_t>(tasks.size()) >= TaskCount(entry.spec.batch->array);
  const bool is_array = entry.spec.batch && !entry.spec.batch->array.empty();
  if (is_array && !all_tasks && now < entry.ended_at + kReportedWithin) {
    return std::nullopt;
  }
  TakeEnd(*last, &result);
  result.accounted = true;
  if (!types.empty()) result.gpu_type = absl::StrJoin(types, ",");
  return result;
}

}  // namespace carme::backend
