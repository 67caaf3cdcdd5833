#include "backend/slurm/slurm_scheduler.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/time/clock.h"
#include "backend/slurm/next_snapshot.h"
#include "backend/slurm/poll_pace.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr absl::Duration kMostWait = absl::Seconds(1);

void LogHealth(const SlurmSnapshot& last, const SlurmSnapshot& next,
               const std::optional<SlurmAnswer>& answer) {
  if (last.reachable == next.reachable && last.since == next.since) return;
  if (next.reachable) {
    LogInfo("slurm answers",
            {{"cluster", next.cluster_name}, {"nodes", next.nodes.size()}});
    return;
  }
  LogWarning("slurm does not answer",
             {{"detail", answer.has_value() ? answer->status().message()
                                            : "a question hangs"}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<SlurmScheduler>> SlurmScheduler::Create(
    const SlurmConfig& config) {
  RETURN_IF_ERROR(CheckSlurmConf(config));
  return absl::WrapUnique(new SlurmScheduler(config));
}

SlurmScheduler::SlurmScheduler(const SlurmConfig& config)
    : config_(config),
      asker_(config),
      snapshot_(std::make_shared<const SlurmSnapshot>()) {}

SlurmScheduler::~SlurmScheduler() { Stop(); }

void SlurmScheduler::Start() {
  thread_ = std::thread([this] { Watch(); });
}

void SlurmScheduler::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

SlurmSnapshotPtr SlurmScheduler::Snapshot() const {
  absl::MutexLock lock(&mutex_);
  return snapshot_;
}

void SlurmScheduler::OnPoll(
    std::function<void(const SlurmSnapshotPtr&)> listener) {
  listener_ = std::move(listener);
}

void SlurmScheduler::Hurry() {
  absl::MutexLock lock(&mutex_);
  hurried_ = true;
}

void SlurmScheduler::Watch() {
  absl::Time asked_at = absl::InfinitePast();  // of the question under way
  PollPace pace;
  absl::Time round;
  do {
    round = absl::Now();
    if (asked_at == absl::InfinitePast()) asked_at = round;
    asker_.Ask();
    const std::optional<SlurmAnswer> answer =
        asker_.Wait(std::min(config_.poll_interval, kMostWait));
    const SlurmSnapshotPtr last = Snapshot();
    const SlurmSnapshotPtr next =
        NextSnapshot(*last, answer, asked_at, absl::Now());
    LogHealth(*last, *next, answer);
    Publish(next);
    if (answer.has_value()) asked_at = absl::InfinitePast();
    pace = PaceOf(config_.poll_interval, asker_.Cost());
  } while (SleepUntil(round + pace.usual, round + pace.hurried));
}

bool SlurmScheduler::SleepUntil(absl::Time next, absl::Time earliest) {
  absl::MutexLock lock(&mutex_);
  const absl::Condition stopped(this, &SlurmScheduler::IsStopped);
  const absl::Condition wanted(this, &SlurmScheduler::IsWanted);
  if (mutex_.AwaitWithDeadline(stopped, earliest)) return false;
  mutex_.AwaitWithDeadline(wanted, next);
  hurried_ = false;
  return !stopped_;
}

void SlurmScheduler::Publish(SlurmSnapshotPtr snapshot) {
  {
    absl::MutexLock lock(&mutex_);
    snapshot_ = snapshot;
  }
  if (listener_) listener_(snapshot);
}

}  // namespace carme
