#include "backend/dry_run/past_job.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/status.h"

namespace carme::backend {
namespace {

// A spec can have a script of many KiB.
constexpr int kPage = 500;

JobSpec WithoutScript(JobSpec spec) {
  if (!spec.batch) return spec;
  spec.batch->script.clear();
  spec.batch->command.clear();
  spec.batch->arguments.clear();
  return spec;
}

PastJob PastJobOf(Job job) {
  return {.id = std::move(job.id),
          .owner = std::move(job.owner),
          .owner_uid = job.owner_uid,
          .spec = WithoutScript(std::move(job.spec)),
          .created_at = job.created_at,
          .started_at = job.started_at,
          .ended_at = job.ended_at};
}

PastJob PastJobOf(HistoryEntry entry) {
  const bool is_array = entry.spec.batch && !entry.spec.batch->array.empty();
  return {.id = std::move(entry.id),
          .owner = std::move(entry.owner),
          .owner_uid = entry.owner_uid,
          .spec = WithoutScript(std::move(entry.spec)),
          .created_at = entry.created_at,
          .started_at = entry.started_at,
          .ended_at = entry.ended_at,
          .array_gpu_time = is_array ? absl::Seconds(entry.gpu_seconds)
                                     : absl::ZeroDuration()};
}

// The newest first.
std::vector<PastJob> ActiveOnes(ActiveJobs* active) {
  std::vector<PastJob> jobs;
  active->ForEach([&](const Job& job) {
    // The end of an ended job is being written to the history.
    if (!HasEnded(job)) jobs.push_back(PastJobOf(job));
  });
  std::sort(jobs.begin(), jobs.end(), [](const PastJob& a, const PastJob& b) {
    return a.created_at > b.created_at;
  });
  return jobs;
}

}  // namespace

absl::StatusOr<PastJobs> ReadPastJobs(const Session& caller, History* history,
                                      ActiveJobs* active, absl::Time since,
                                      size_t max) {
  PastJobs past{.jobs = ActiveOnes(active), .complete_since = since};
  if (past.jobs.size() > max) {
    past.complete_since = std::max(since, past.jobs[max].created_at);
    past.jobs.resize(max);
    past.truncated = true;
  }
  std::set<JobId> known;
  for (const PastJob& job : past.jobs) known.insert(job.id);
  HistoryFilter filter{.whose = v1::HISTORY_SCOPE_EVERYBODY, .from = since};
  std::optional<HistoryPlace> place;
  bool more = true;
  while (more && past.jobs.size() < max) {
    ASSIGN_OR_RETURN(HistoryPage page,
                     history->Page(caller, filter, kPage, place));
    for (HistoryEntry& entry : page.entries) {
      if (past.jobs.size() == max) {
        page.next = HistoryPlace{entry.ended_at, entry.id};
        break;
      }
      past.complete_since = entry.ended_at;
      if (entry.slurm_id == SlurmJobId() || !known.insert(entry.id).second) {
        continue;
      }
      past.jobs.push_back(PastJobOf(std::move(entry)));
    }
    place = page.next;
    more = place.has_value();
  }
  past.truncated = past.truncated || more;
  if (!past.truncated) past.complete_since = since;
  std::sort(past.jobs.begin(), past.jobs.end(),
            [](const PastJob& a, const PastJob& b) {
              return std::pair(a.created_at, a.id) <
                     std::pair(b.created_at, b.id);
            });
  return past;
}

}  // namespace carme::backend
