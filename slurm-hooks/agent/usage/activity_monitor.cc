#include "slurm-hooks/agent/usage/activity_monitor.h"

#include <utility>

namespace carme::agent {
namespace {

ActivityTimes::Moment Now() { return std::chrono::steady_clock::now(); }

}  // namespace

ActivityMonitor::ActivityMonitor(net::EventLoop& loop, Sources sources, Say say,
                                 ActivityMonitorOptions options)
    : loop_(loop),
      sources_(std::move(sources)),
      say_(std::move(say)),
      options_(options),
      said_at_(Now()),
      looked_at_(Now()) {
  times_.work = Now();
  loop_.Spawn(Run());
}

void ActivityMonitor::OnInput() {
  const ActivityTimes::Moment now = Now();
  const bool after_a_while =
      !times_.input ||
      absl::FromChrono(now - *times_.input) > options_.interval;
  times_.input = now;
  if (!after_a_while || awaits_telling_) return;
  const absl::Duration wait =
      options_.soonest - absl::FromChrono(now - said_at_);
  if (wait <= absl::ZeroDuration()) return Tell();
  awaits_telling_ = true;
  loop_.Spawn(TellAfter(wait));
}

net::Task<void> ActivityMonitor::TellAfter(absl::Duration wait) {
  const int stopped = co_await net::Sleep(loop_, wait);
  if (stopped != 0) co_return;
  // What was said meanwhile had that input in it.
  if (std::exchange(awaits_telling_, false)) Tell();
}

net::Task<void> ActivityMonitor::Run() {
  cpu_time_ = sources_.cpu_time();
  Tell();  // it can be seen
  for (;;) {
    const int stopped = co_await net::Sleep(loop_, options_.interval);
    if (stopped != 0) co_return;
    co_await Look();
    Tell();
  }
}

net::Task<void> ActivityMonitor::Look() {
  if (SeesWork()) times_.work = Now();
  if (sources_.kernel_busy) {
    const std::optional<bool> busy = co_await sources_.kernel_busy();
    if (!busy) times_.work = Now();
    if (busy.value_or(false)) times_.kernel = Now();
  }
  if (sources_.gpu_busy) {
    const std::optional<bool> busy = co_await sources_.gpu_busy();
    if (busy.value_or(true)) times_.work = Now();
  }
}

bool ActivityMonitor::SeesWork() {
  const std::optional<absl::Duration> before = cpu_time_;
  const ActivityTimes::Moment then = std::exchange(looked_at_, Now());
  cpu_time_ = sources_.cpu_time();
  if (!before || !cpu_time_ || !sources_.sees_all()) return true;
  const absl::Duration used = *cpu_time_ - *before;
  // What a step used that has ended since is in no sum any more.
  if (used < absl::ZeroDuration()) return true;
  return used > options_.min_share * absl::FromChrono(looked_at_ - then);
}

void ActivityMonitor::Tell() {
  said_at_ = Now();
  awaits_telling_ = false;
  say_(times_);
}

}  // namespace carme::agent
