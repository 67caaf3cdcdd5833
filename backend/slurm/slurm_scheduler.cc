#include "backend/slurm/slurm_scheduler.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/time/clock.h"
#include "backend/slurm/next_snapshot.h"
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
      snapshot_(std::make_shared<const SlurmSnapshot>()),
      plan_(config.poll_interval) {}

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
  plan_.Hurry();
  wished_ = true;
}

void SlurmScheduler::LookAt(SlurmJobId job) {
  absl::MutexLock lock(&mutex_);
  plan_.LookAt(job, absl::Now());
  wished_ = true;
}

void SlurmScheduler::FollowToEnd(SlurmJobId job) {
  absl::MutexLock lock(&mutex_);
  plan_.FollowToEnd(job, absl::Now());
  wished_ = true;
}

void SlurmScheduler::Watch() {
  absl::Time asked_at = absl::InfinitePast();  // of the question under way
  while (AwaitDue(asked_at != absl::InfinitePast())) {
    if (asked_at == absl::InfinitePast()) {
      asked_at = absl::Now();
      asker_.Ask(Begin(asked_at));
    }
    const std::optional<SlurmAnswer> answer =
        asker_.Wait(std::min(config_.poll_interval, kMostWait));
    const SlurmSnapshotPtr last = Snapshot();
    const SlurmSnapshotPtr next =
        NextSnapshot(*last, answer, asked_at, absl::Now());
    LogHealth(*last, *next, answer);
    if (answer.has_value()) {
      asked_at = absl::InfinitePast();
      absl::MutexLock lock(&mutex_);
      plan_.End(asker_.Cost(), *next);
    }
    Publish(next);
  }
}

std::vector<SlurmJobId> SlurmScheduler::Begin(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  return plan_.Begin(now);
}

bool SlurmScheduler::AwaitDue(bool under_way) {
  absl::MutexLock lock(&mutex_);
  while (!stopped_ && !under_way) {
    const absl::Time now = absl::Now();
    const absl::Time due = plan_.NextAt(now);
    if (due <= now) return true;
    wished_ = false;
    mutex_.AwaitWithDeadline(absl::Condition(this, &SlurmScheduler::IsWanted),
                             due);
  }
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
