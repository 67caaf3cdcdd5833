#include "backend/slurm/poll/slurm_scheduler.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/time/clock.h"
#include "backend/slurm/poll/next_snapshot.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kMaxWait = absl::Seconds(1);
// Looks that callers wait for: so often, and so many callers.
constexpr absl::Duration kBetweenWanted = absl::Milliseconds(500);
constexpr int kMaxWaiting = 64;

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

void SlurmScheduler::RefreshSoon() {
  absl::MutexLock lock(&mutex_);
  plan_.RefreshSoon();
  wished_ = true;
}

void SlurmScheduler::RefreshJob(SlurmJobId job) {
  absl::MutexLock lock(&mutex_);
  plan_.RefreshJob(job, absl::Now());
  wished_ = true;
}

void SlurmScheduler::RefreshResourcesSoon() {
  absl::MutexLock lock(&mutex_);
  wanted_.resources = true;
  wished_ = true;
}

template <typename Predicate>
bool SlurmScheduler::AwaitFresh(PollScope wanted, const Predicate& is_fresh,
                                absl::Duration timeout) {
  absl::MutexLock lock(&mutex_);
  if (!snapshot_->reachable || waiting_ >= kMaxWaiting) return false;
  if (is_fresh(*snapshot_)) return true;
  wanted_.resources = wanted_.resources || wanted.resources;
  wanted_.accounting = wanted_.accounting || wanted.accounting;
  wished_ = true;
  ++waiting_;
  const auto settled = [&] {
    return stopped_ || !snapshot_->reachable || is_fresh(*snapshot_);
  };
  mutex_.AwaitWithTimeout(absl::Condition(&settled), timeout);
  --waiting_;
  return snapshot_->reachable && is_fresh(*snapshot_);
}

bool SlurmScheduler::RefreshResources(absl::Duration timeout) {
  const absl::Time called = absl::Now();
  return AwaitFresh(
      {.resources = true},
      [&](const SlurmSnapshot& seen) {
        return seen.resources_asked_at >= called;
      },
      timeout);
}

bool SlurmScheduler::RefreshAccounting(absl::Duration timeout) {
  const absl::Time called = absl::Now();
  return AwaitFresh(
      {.accounting = true},
      [&](const SlurmSnapshot& seen) {
        const SlurmAccounting* known = seen.accounting.get();
        return known != nullptr &&
               known->asked_at + AccountingAgeFor(known) >= called;
      },
      timeout);
}

void SlurmScheduler::TrackUntilEnd(SlurmJobId job) {
  absl::MutexLock lock(&mutex_);
  plan_.TrackUntilEnd(job, absl::Now());
  wished_ = true;
}

void SlurmScheduler::Track(SlurmJobId job) { asker_.Track(job); }

void SlurmScheduler::TrackOnly(std::set<SlurmJobId> jobs) {
  asker_.TrackOnly(std::move(jobs));
}

void SlurmScheduler::Watch() {
  absl::Time asked_at = absl::InfinitePast();  // of the question under way
  while (AwaitDue(asked_at != absl::InfinitePast())) {
    if (asked_at == absl::InfinitePast()) {
      asked_at = absl::Now();
      PollScope scope;
      const std::vector<SlurmJobId> jobs = Begin(asked_at, &scope);
      asker_.Ask(jobs, scope);
    }
    const std::optional<SlurmAnswer> answer =
        asker_.Wait(std::min(config_.poll_interval, kMaxWait));
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

absl::Time SlurmScheduler::WantedAt() const {
  if (!wanted_.resources && !wanted_.accounting) return absl::InfiniteFuture();
  return wanted_begun_at_ + kBetweenWanted;
}

std::vector<SlurmJobId> SlurmScheduler::Begin(absl::Time now,
                                              PollScope* scope) {
  absl::MutexLock lock(&mutex_);
  std::vector<SlurmJobId> jobs = plan_.Begin(now);
  if (!jobs.empty() || WantedAt() > now) return jobs;
  *scope = std::exchange(wanted_, PollScope());
  wanted_begun_at_ = now;
  return jobs;
}

bool SlurmScheduler::AwaitDue(bool under_way) {
  absl::MutexLock lock(&mutex_);
  while (!stopped_ && !under_way) {
    const absl::Time now = absl::Now();
    if (now < wanted_begun_at_) wanted_begun_at_ = absl::InfinitePast();
    const absl::Time wanted = WantedAt();
    if (wanted <= now) plan_.RefreshSoon();
    absl::Time due = plan_.NextAt(now);
    if (due <= now) return true;
    if (wanted > now) due = std::min(due, wanted);
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

}  // namespace carme::backend
