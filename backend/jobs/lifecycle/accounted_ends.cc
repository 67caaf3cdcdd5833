#include "backend/jobs/lifecycle/accounted_ends.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_replace.h"
#include "backend/jobs/model/slurm_identity.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/state/job_ending.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kAskEvery = absl::Seconds(1);
constexpr size_t kMaxAskedAtOnce = 200;
// How long a result is kept that is not requested again.
constexpr absl::Duration kUnwantedAfter = absl::Minutes(1);

SlurmJob JobOf(const AccountedRun& run) {
  SlurmJob slurm;
  slurm.id = run.id;
  slurm.uid = run.uid;
  slurm.state = run.state;
  slurm.exit_code = run.exit_code;
  slurm.nodes = run.nodes;
  if (run.started) slurm.started_at = *run.started;
  slurm.ends_at = run.ended;
  slurm.submitted = run.submitted;
  slurm.account = run.account;
  if (run.state == SlurmState::kCancelled)
    slurm.cancelled_by = run.cancelled_by;
  if (run.is_array) {
    slurm.array = run.id;
    slurm.task = run.task;
    slurm.tasks_waiting =
        absl::StrReplaceAll(run.waiting_tasks, {{"[", ""}, {"]", ""}});
  }
  return slurm;
}

// The later run of a job or a task that was requeued.
bool IsLater(const SlurmJob& a, const SlurmJob& b) {
  return std::pair(a.submitted, a.started_at) >
         std::pair(b.submitted, b.started_at);
}

}  // namespace

std::vector<SlurmJob> EndedRuns(const Job& job,
                                const std::vector<AccountedRun>& runs) {
  std::vector<SlurmJob> ended;
  for (const AccountedRun& run : runs) {
    SlurmJob slurm = JobOf(run);
    // A later run of the same submission is a requeue.
    if (job.slurm_submitted_at && slurm.submitted > *job.slurm_submitted_at) {
      slurm.restarts = 1;
    }
    if (!IsRecordsJob(job, slurm)) continue;
    if (run.ended == absl::InfiniteFuture()) return {};
    const auto same =
        std::find_if(ended.begin(), ended.end(), [&](const SlurmJob& other) {
          return other.task == slurm.task &&
                 other.tasks_waiting == slurm.tasks_waiting;
        });
    if (same == ended.end()) {
      ended.push_back(std::move(slurm));
    } else if (IsLater(slurm, *same)) {
      *same = std::move(slurm);
    }
  }
  return ended;
}

bool AccountedEnds::MayKnowMore(const Job& ended) const {
  if (!usage_->IsConfigured() || !InSlurm(ended)) return false;
  const bool lost_tasks =
      IsArray(ended) && ended.array->ended.contains(v1::JOB_END_UNKNOWN);
  return ended.end == v1::JOB_END_UNKNOWN || lost_tasks ||
         IsStopperUnknown(ended);
}

std::optional<std::vector<SlurmJob>> AccountedEnds::Find(const Job& ended) {
  const absl::Time now = clock_->Now();
  absl::MutexLock lock(&mutex_);
  const auto [row, is_new] = wanted_.try_emplace(
      ended.id, Wanted{.job = ended, .since = now, .wanted_at = now});
  Wanted& wanted = row->second;
  wanted.wanted_at = now;
  if (is_new) thread_.Wake();
  const absl::Duration waited = now - wanted.since;
  const bool by_slurmctld = IsStopperUnknown(ended);
  const bool answered = wanted.answered_at &&
                        *wanted.answered_at - wanted.since >= kMissingTimeout;
  const bool given_up = waited >= kUnreachableTimeout ||
                        (by_slurmctld && waited >= kCancelTimeout) || answered;
  if (wanted.runs.empty() && !given_up) return std::nullopt;
  std::vector<SlurmJob> runs = std::move(wanted.runs);
  wanted_.erase(row);
  return runs;
}

std::vector<SlurmJobId> AccountedEnds::JobsToQuery() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_->Now();
  std::erase_if(wanted_, [&](const auto& row) {
    return now - row.second.wanted_at > kUnwantedAfter;
  });
  std::vector<SlurmJobId> ids;
  for (const auto& [id, wanted] : wanted_) {
    if (wanted.runs.empty() && ids.size() < kMaxAskedAtOnce) {
      ids.push_back(wanted.job.slurm_id);
    }
  }
  return ids;
}

absl::Duration AccountedEnds::QueryOnce() {
  const std::vector<SlurmJobId> ids = JobsToQuery();
  if (ids.empty()) return absl::InfiniteDuration();
  const absl::StatusOr<std::vector<AccountedRun>> runs = usage_->LoadRuns(ids);
  if (runs.ok() == is_silent_) {
    is_silent_ = !runs.ok();
    if (is_silent_) {
      LogWarning("querying slurmdbd for ended jobs failed",
                 {{"error", StatusText(runs.status())}});
    }
  }
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = clock_->Now();
    for (auto& [id, wanted] : wanted_) {
      const bool asked =
          std::find(ids.begin(), ids.end(), wanted.job.slurm_id) != ids.end();
      if (!runs.ok() || !asked) continue;
      wanted.runs = EndedRuns(wanted.job, *runs);
      wanted.answered_at = now;
    }
  }
  thread_.SleepFor(kAskEvery);  // also if another job is wanted meanwhile
  return absl::ZeroDuration();
}

}  // namespace carme::backend
