#include "backend/slurm/poll/poll_scheduler.h"

#include <algorithm>

namespace carme::backend {
namespace {

// A look at all that takes less is as good as one at some jobs.
constexpr absl::Duration kCheap = absl::Milliseconds(10);
constexpr absl::Duration kMinSomePace = absl::Milliseconds(200);
constexpr absl::Duration kMaxSomePace = absl::Seconds(2);
constexpr int kLooksOfAverage = 8;
constexpr int kPartsOfSome = 20;  // at most 5 % of a processor
constexpr absl::Duration kAgain = absl::Seconds(1);
constexpr absl::Duration kMaxAgain = absl::Seconds(2);
constexpr absl::Duration kFollow = absl::Seconds(10);

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
      pace_(PaceOf(interval, absl::ZeroDuration())),
      some_pace_(kMinSomePace) {}

void PollScheduler::RefreshJob(SlurmJobId job, absl::Time now) {
  Wait(job, now, absl::ZeroDuration());
}

void PollScheduler::TrackUntilEnd(SlurmJobId job, absl::Time now) {
  Wait(job, now, kFollow);
}

void PollScheduler::Wait(SlurmJobId job, absl::Time now,
                         absl::Duration timeout) {
  const auto found = wishes_.find(job);
  if (found == wishes_.end() && wishes_.size() >= kMaxWishes) {
    hurried_ = true;
    return;
  }
  Wish& wish = found != wishes_.end()
                   ? found->second
                   : wishes_.emplace(job, Wish{now, now}).first->second;
  wish.due = std::min(wish.due, now);
  wish.until = std::max(wish.until, now + timeout);
}

bool PollScheduler::AsksForSome() const {
  return reachable_ && whole_cost_ >= kCheap;
}

absl::Time PollScheduler::EarliestWish() const {
  absl::Time earliest = absl::InfiniteFuture();
  for (const auto& [job, wish] : wishes_) {
    earliest = std::min(earliest, wish.due);
  }
  return earliest;
}

absl::Time PollScheduler::WholeAt() const {
  const absl::Time hurried = whole_at_ + pace_.hurried;
  if (hurried_) return hurried;
  const absl::Time usual = whole_at_ + pace_.usual;
  if (AsksForSome()) return usual;
  return std::min(usual, std::max(hurried, EarliestWish()));
}

absl::Time PollScheduler::SomeAt() const {
  if (!AsksForSome() || wishes_.empty()) return absl::InfiniteFuture();
  return std::max(some_at_ + some_pace_, EarliestWish());
}

absl::Time PollScheduler::NextAt(absl::Time now) const {
  // A clock that was put back holds up nothing.
  if (now < whole_at_ || now < some_at_) return now;
  return std::min(WholeAt(), SomeAt());
}

void PollScheduler::Meet(absl::Time now,
                         std::map<SlurmJobId, Wish>::iterator* wish) {
  Wish& met = (*wish)->second;
  // Where looks at all meet it, those that come anyway are enough.
  const absl::Duration again =
      is_some_ ? kAgain : std::clamp(interval_, kAgain, kMaxAgain);
  if (met.until >= now + again) {
    met.due = now + again;
    ++*wish;
  } else {
    *wish = wishes_.erase(*wish);
  }
}

std::vector<SlurmJobId> PollScheduler::Begin(absl::Time now) {
  std::vector<SlurmJobId> jobs;
  is_some_ = now >= whole_at_ && now >= some_at_ && WholeAt() > now;
  for (auto wish = wishes_.begin(); wish != wishes_.end();) {
    // What is wished for later than now was wished before a clock was put back.
    const bool due =
        wish->second.due <= now || wish->second.due > now + kMaxAgain;
    if (!due || (is_some_ && jobs.size() == kMaxJobs)) {
      ++wish;
      continue;
    }
    if (is_some_) jobs.push_back(wish->first);
    Meet(now, &wish);
  }
  if (is_some_) {
    some_at_ = now;
    return jobs;
  }
  whole_at_ = now;
  some_at_ = std::min(some_at_, now);
  hurried_ = false;
  return {};
}

void PollScheduler::End(absl::Duration cost, const SlurmSnapshot& snapshot) {
  reachable_ = snapshot.reachable;
  if (is_some_) {
    some_pace_ = std::clamp(kPartsOfSome * cost, kMinSomePace, kMaxSomePace);
  } else if (!reachable_) {
    pace_ = PaceOf(interval_, cost);
  } else {
    whole_cost_ = whole_cost_ == absl::ZeroDuration()
                      ? cost
                      : whole_cost_ + (cost - whole_cost_) / kLooksOfAverage;
    pace_ = PaceOf(interval_, whole_cost_);
  }
  std::erase_if(wishes_, [&](const auto& wish) {
    const auto found = snapshot.jobs.find(wish.first);
    // Of an array it is one task only.
    return wish.second.due > std::max(whole_at_, some_at_) &&
           found != snapshot.jobs.end() &&
           found->second.array == SlurmJobId() && IsOver(found->second);
  });
}

}  // namespace carme::backend
