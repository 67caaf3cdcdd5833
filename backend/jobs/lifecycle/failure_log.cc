#include "backend/jobs/lifecycle/failure_log.h"

#include <utility>

#include "backend/jobs/diagnosis/advice.h"
#include "backend/jobs/diagnosis/log_tail.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/state/job_ending.h"
#include "backend/jobs/state/messages.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxWanted = 256;
constexpr size_t kMaxProblem = 300;
// With less free space programs cannot write their output.
constexpr uint64_t kFullBytes = 1 << 20;

bool IsFull(const StorageAmount& amount, uint64_t min_free) {
  return amount.limit > 0 && amount.used + min_free > amount.limit;
}

}  // namespace

bool WantsFailureLog(const Job& job) {
  return job.started_at.has_value() && job.spec.linked_to.empty() &&
         (job.end == v1::JOB_END_FAILED ||
          job.end == v1::JOB_END_OUT_OF_MEMORY);
}

FailureLog::FailureLog(ActiveJobs* active, JobStore* store, JobFeed* feed,
                       Submitter* submitter, StorageReader* storage)
    : active_(active),
      store_(store),
      feed_(feed),
      submitter_(submitter),
      storage_(storage) {}

void FailureLog::Enqueue(const Job& job) {
  {
    absl::MutexLock lock(&mutex_);
    if (wanted_.size() < kMaxWanted) wanted_.push_back(job);
  }
  thread_.Wake();
}

absl::Duration FailureLog::ReadNext() {
  Job job;
  {
    absl::MutexLock lock(&mutex_);
    if (wanted_.empty()) return absl::InfiniteDuration();
    job = std::move(wanted_.front());
    wanted_.pop_front();
  }
  const Tail tail = Read(job);
  if (!tail.lines.empty() || !tail.problem.empty()) Store(job, tail);
  return absl::ZeroDuration();
}

// The app's log if there is one: it has the error.
FailureLog::Tail FailureLog::Read(const Job& job) {
  std::string lines;
  for (const std::string& app : {job.spec.app, std::string()}) {
    LogPart part;
    part.job = job.id;
    part.app = app;
    if (IsArray(job)) part.task = FirstFailedTask(*job.array);
    part.offset = -static_cast<int64_t>(kLastLinesBytes);
    part.max_bytes = static_cast<int>(kLastLinesBytes);
    const absl::StatusOr<LogText> log = submitter_->ReadLogAsUser(
        {job.owner, job.owner_uid}, part, NewRequestId());
    if (log.ok()) lines = LastLinesOf(log->text, log->offset > 0);
    if (!log.ok() && !absl::IsNotFound(log.status())) {
      LogWarning(
          "last lines of a job not read",
          {{"job", job.id.value()}, {"error", StatusText(log.status())}});
      // The impersonator tried it as the user: slurmd fails in the same way.
      if (!absl::IsPermissionDenied(log.status())) return {};
      return {.problem = MakeText(
                  job_lifecycle_messages::kLogNotOpened,
                  {{"cause", Readable(std::string(log.status().message()),
                                      kMaxProblem)}})};
    }
    if (!lines.empty() || app.empty()) break;
  }
  if (!lines.empty()) return {.lines = std::move(lines)};
  return {.problem = StorageProblem(job)};
}

DisplayText FailureLog::StorageProblem(const Job& job) {
  if (storage_ == nullptr) return "";
  const auto areas =
      storage_->ReadStorageAsUser({job.owner, job.owner_uid}, NewRequestId());
  if (!areas.ok()) {
    LogWarning(
        "storage of a failed job's user not read",
        {{"job", job.id.value()}, {"error", StatusText(areas.status())}});
    return "";
  }
  for (const StorageArea& area : *areas) {
    if (!area.problem.empty() ||
        (!IsFull(area.bytes, kFullBytes) && !IsFull(area.files, 1))) {
      continue;
    }
    return MakeText(job_lifecycle_messages::kStorageFull,
                    {{"storage", Readable(area.name, kMaxProblem)},
                     {"path", Readable(area.path, kMaxProblem)}});
  }
  return "";
}

void FailureLog::Store(const Job& job, const Tail& tail) {
  const auto add = [&](Job* ended) {
    ended->last_lines = tail.lines;
    ended->advice = AdviceFor(*ended, tail.lines);
    if (tail.problem.empty()) return;
    ended->advice = tail.problem;
    // Its own advice would contradict this one.
    constexpr TextTemplate kShort = job_state_messages::kLaunchFailureAlone;
    if (ended->reason.text.starts_with(kShort.text)) {
      ended->reason = MakeText(kShort);
    }
  };
  if (active_->ChangeEnded(job.id,
                           [&](ActiveJob& active) { add(&active.job); })) {
    return;
  }
  const absl::StatusOr<Job> stored =
      store_->ChangeEnded(job.id, [&](Database&, Job* ended) {
        add(ended);
        return absl::OkStatus();
      });
  if (stored.ok()) return feed_->Publish(*stored);
  if (absl::IsNotFound(stored.status())) return;
  LogWarning("last lines of a job not kept",
             {{"job", job.id.value()}, {"error", StatusText(stored.status())}});
}

}  // namespace carme::backend
