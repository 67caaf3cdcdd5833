#include "backend/slurm/poll/poll_scheduler.h"

#include <algorithm>

namespace carme::backend {
namespace {

// Cheaper full polls replace partial ones.
constexpr absl::Duration kCheapPoll = absl::Milliseconds(10);
constexpr absl::Duration kMinSomePace = absl::Milliseconds(200);
constexpr absl::Duration kMaxSomePace = absl::Seconds(2);
constexpr int kAveragedPolls = 8;
constexpr int kPartialCpuShare = 20;  // at most 5 % of a CPU
constexpr absl::Duration kRepeatInterval = absl::Seconds(1);
constexpr absl::Duration kMaxAgain = absl::Seconds(2);
constexpr absl::Duration kTrackFor = absl::Seconds(10);

bool IsOver(const SlurmJob& job) {
  switch (job.state) {
    case SlurmState::kPending:
    case SlurmState::kRunning:
    case SlurmState::kSuspended:
    case SlurmState::kCompleting:
    case SlurmState::kUnknown:
      return false;
    default:
      return true;
  }
}

}  // namespace

PollScheduler::PollScheduler(absl::Duration interval)
    : interval_(interval),
      interval_for_full_(PollIntervalFor(interval, absl::ZeroDuration())),
      partial_interval_(kMinSomePace) {}

void PollScheduler::RefreshJob(SlurmJobId job, absl::Time now) {
  Enqueue(job, now, absl::ZeroDuration());
}

void PollScheduler::TrackUntilEnd(SlurmJobId job, absl::Time now) {
  Enqueue(job, now, kTrackFor);
}

void PollScheduler::Enqueue(SlurmJobId job, absl::Time now,
                            absl::Duration timeout) {
  const auto found = pending_.find(job);
  if (found == pending_.end() && pending_.size() >= kMaxPending) {
    soon_ = true;
    return;
  }
  PendingRefresh& pending =
      found != pending_.end()
          ? found->second
          : pending_.emplace(job, PendingRefresh{now, now}).first->second;
  pending.due = std::min(pending.due, now);
  pending.is_repeat = false;
  pending.until = std::max(pending.until, now + timeout);
}

bool PollScheduler::UsesPartialPolls() const {
  return reachable_ && full_cost_ >= kCheapPoll;
}

absl::Time PollScheduler::EarliestPending() const {
  absl::Time earliest = absl::InfiniteFuture();
  for (const auto& [job, pending] : pending_) {
    earliest = std::min(earliest, pending.due);
  }
  return earliest;
}

absl::Time PollScheduler::FullAt() const {
  const absl::Time soon = full_at_ + interval_for_full_.soon;
  if (soon_) return soon;
  const absl::Time normal = full_at_ + interval_for_full_.normal;
  if (UsesPartialPolls()) return normal;
  return std::min(normal, std::max(soon, EarliestPending()));
}

absl::Time PollScheduler::PartialAt() const {
  if (!UsesPartialPolls() || pending_.empty()) return absl::InfiniteFuture();
  return std::max(partial_at_ + partial_interval_, EarliestPending());
}

absl::Time PollScheduler::NextAt(absl::Time now) const {
  // A clock that was set back must not delay polls.
  if (now < full_at_ || now < partial_at_) return now;
  return std::min(FullAt(), PartialAt());
}

void PollScheduler::OnPolled(
    absl::Time now, std::map<SlurmJobId, PendingRefresh>::iterator* pending) {
  PendingRefresh& polled = (*pending)->second;
  // If full polls serve the request, the regular ones are enough.
  const absl::Duration again =
      is_partial_ ? kRepeatInterval
                  : std::clamp(interval_, kRepeatInterval, kMaxAgain);
  if (polled.until >= now + again) {
    polled.due = now + again;
    polled.is_repeat = is_partial_;
    ++*pending;
  } else {
    *pending = pending_.erase(*pending);
  }
}

std::vector<SlurmJobId> PollScheduler::Begin(absl::Time now) {
  std::vector<SlurmJobId> jobs;
  repeated_.clear();
  is_partial_ = now >= full_at_ && now >= partial_at_ && FullAt() > now;
  for (auto pending = pending_.begin(); pending != pending_.end();) {
    // A due time too far ahead means that the clock was set back.
    const bool due =
        pending->second.due <= now || pending->second.due > now + kMaxAgain;
    if (!due || (is_partial_ && jobs.size() == kMaxJobs)) {
      ++pending;
      continue;
    }
    if (is_partial_) jobs.push_back(pending->first);
    if (is_partial_ && pending->second.is_repeat) {
      repeated_.insert(pending->first);
    }
    OnPolled(now, &pending);
  }
  if (is_partial_) {
    partial_at_ = now;
    return jobs;
  }
  full_at_ = now;
  partial_at_ = std::min(partial_at_, now);
  soon_ = false;
  return {};
}

void PollScheduler::End(absl::Duration cost, const SlurmSnapshot& snapshot) {
  reachable_ = snapshot.reachable;
  if (is_partial_) {
    partial_interval_ =
        std::clamp(kPartialCpuShare * cost, kMinSomePace, kMaxSomePace);
  } else if (!reachable_) {
    interval_for_full_ = PollIntervalFor(interval_, cost);
  } else {
    full_cost_ = full_cost_ == absl::ZeroDuration()
                     ? cost
                     : full_cost_ + (cost - full_cost_) / kAveragedPolls;
    interval_for_full_ = PollIntervalFor(interval_, full_cost_);
  }
  std::erase_if(pending_, [&](const auto& pending) {
    const auto found = snapshot.jobs.find(pending.first);
    // A record of an array is about one task only.
    return pending.second.due > std::max(full_at_, partial_at_) &&
           found != snapshot.jobs.end() &&
           found->second.array == SlurmJobId() && IsOver(found->second);
  });
}

}  // namespace carme::backend
