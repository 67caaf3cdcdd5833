#include "backend/slurm/poll/slurm_scheduler.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/time/clock.h"
#include "backend/slurm/libslurm/slurmctld_release.h"
#include "backend/slurm/poll/next_snapshot.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kMaxWait = absl::Seconds(1);
// Polls that callers wait for: minimum interval, and maximum number of callers.
constexpr absl::Duration kMinRequestedInterval = absl::Milliseconds(500);
constexpr int kMaxWaiting = 64;

// `logged`: the problem that was logged last. One that is found later, such as
// an update of slurmctld, is logged, too.
void LogHealth(const SlurmSnapshot& last, const SlurmSnapshot& next,
               std::string* logged) {
  const bool changed =
      last.reachable != next.reachable || last.since != next.since;
  const bool another_problem =
      next.problem != *logged && next.problem != kNoResponse;
  if (!changed && (next.reachable || !another_problem)) return;
  *logged = next.problem;
  if (next.reachable) {
    LogInfo("slurm is reachable", {{"cluster", next.cluster_name},
                                   {"slurmctld", next.slurm_version},
                                   {"libslurm", LoadedLibslurm()},
                                   {"nodes", next.nodes.size()}});
    return;
  }
  LogWarning("slurm is unreachable", {{"error", next.problem}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<SlurmScheduler>> SlurmScheduler::Create(
    const SlurmConfig& config) {
  RETURN_IF_ERROR(CheckSlurmConf(config));
  return absl::WrapUnique(new SlurmScheduler(config));
}

SlurmScheduler::SlurmScheduler(const SlurmConfig& config)
    : config_(config),
      query_(config),
      snapshot_(std::make_shared<const SlurmSnapshot>()),
      poll_scheduler_(config.poll_interval) {}

SlurmScheduler::~SlurmScheduler() { Stop(); }

void SlurmScheduler::Start() {
  thread_.Start("slurm-poll", [this] { return PollOnce(); });
}

void SlurmScheduler::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  thread_.Stop();
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
  poll_scheduler_.RefreshSoon();
  thread_.Wake();
}

void SlurmScheduler::RefreshJob(SlurmJobId job) {
  absl::MutexLock lock(&mutex_);
  poll_scheduler_.RefreshJob(job, absl::Now());
  thread_.Wake();
}

void SlurmScheduler::RefreshResourcesSoon() {
  absl::MutexLock lock(&mutex_);
  requested_.resources = true;
  thread_.Wake();
}

template <typename Predicate>
bool SlurmScheduler::AwaitFresh(PollScope wanted, const Predicate& is_fresh,
                                absl::Duration timeout) {
  absl::MutexLock lock(&mutex_);
  if (!snapshot_->reachable || waiters_ >= kMaxWaiting) return false;
  if (is_fresh(*snapshot_)) return true;
  requested_.resources = requested_.resources || wanted.resources;
  requested_.accounting = requested_.accounting || wanted.accounting;
  thread_.Wake();
  ++waiters_;
  const auto is_done = [&] {
    return stopped_ || !snapshot_->reachable || is_fresh(*snapshot_);
  };
  mutex_.AwaitWithTimeout(absl::Condition(&is_done), timeout);
  --waiters_;
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
  poll_scheduler_.TrackUntilEnd(job, absl::Now());
  thread_.Wake();
}

void SlurmScheduler::Track(SlurmJobId job) { query_.Track(job); }

void SlurmScheduler::TrackOnly(std::set<SlurmJobId> jobs) {
  query_.TrackOnly(std::move(jobs));
}

absl::Duration SlurmScheduler::PollOnce() {
  if (!asked_at_) {
    const absl::Duration wait = TimeUntilDue();
    if (wait > absl::ZeroDuration()) return wait;
    asked_at_ = absl::Now();
    PollScope scope;
    const std::vector<SlurmJobId> jobs = Begin(*asked_at_, &scope);
    asked_partially_ = !jobs.empty();
    query_.Start(jobs, scope);
  }
  const std::optional<SlurmQueryResult> answer =
      query_.Wait(std::min(config_.poll_interval, kMaxWait));
  const SlurmSnapshotPtr last = Snapshot();
  const SlurmSnapshotPtr next =
      NextSnapshot(*last, answer, *asked_at_, absl::Now());
  LogHealth(*last, *next, &logged_problem_);
  if (answer.has_value()) {
    polls_.Count(asked_partially_ ? 1 : 0, answer->ok() ? 0 : 1,
                 absl::Now() - *asked_at_);
    asked_at_.reset();
    absl::MutexLock lock(&mutex_);
    poll_scheduler_.End(query_.Cost(), *next);
  }
  Publish(next);
  return absl::ZeroDuration();
}

absl::Time SlurmScheduler::RequestedAt() const {
  if (!requested_.resources && !requested_.accounting)
    return absl::InfiniteFuture();
  return requested_begun_at_ + kMinRequestedInterval;
}

std::vector<SlurmJobId> SlurmScheduler::Begin(absl::Time now,
                                              PollScope* scope) {
  absl::MutexLock lock(&mutex_);
  std::vector<SlurmJobId> jobs = poll_scheduler_.Begin(now);
  if (!jobs.empty()) scope->state_suffices = poll_scheduler_.repeated();
  if (!jobs.empty() || RequestedAt() > now) return jobs;
  *scope = std::exchange(requested_, PollScope());
  requested_begun_at_ = now;
  return jobs;
}

absl::Duration SlurmScheduler::TimeUntilDue() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = absl::Now();
  if (now < requested_begun_at_) requested_begun_at_ = absl::InfinitePast();
  const absl::Time wanted = RequestedAt();
  if (wanted <= now) poll_scheduler_.RefreshSoon();
  absl::Time due = poll_scheduler_.NextAt(now);
  if (due <= now) return absl::ZeroDuration();
  if (wanted > now) due = std::min(due, wanted);
  return due - now;
}

void SlurmScheduler::Publish(SlurmSnapshotPtr snapshot) {
  {
    absl::MutexLock lock(&mutex_);
    snapshot_ = snapshot;
  }
  if (listener_) listener_(snapshot);
}

}  // namespace carme::backend
