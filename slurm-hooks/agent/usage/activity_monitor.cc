#include "slurm-hooks/agent/usage/activity_monitor.h"

#include <algorithm>
#include <utility>

namespace carme::agent {
namespace {

// Input after this time without input is reported at once, so that a warning
// about an idle job goes away when its user returns.
constexpr absl::Duration kInputPause = absl::Minutes(1);

ActivityTimes::Moment Now() { return std::chrono::steady_clock::now(); }

}  // namespace

ActivityMonitor::ActivityMonitor(net::EventLoop& loop, Sources sources,
                                 OnTimes on_times,
                                 ActivityMonitorOptions options)
    : loop_(loop),
      sources_(std::move(sources)),
      on_times_(std::move(on_times)),
      options_(options),
      reported_at_(Now()),
      checked_at_(Now()) {
  times_.work = Now();
  loop_.Spawn(Run());
}

void ActivityMonitor::OnInput() {
  const ActivityTimes::Moment now = Now();
  const bool after_pause =
      !times_.input || absl::FromChrono(now - *times_.input) >
                           std::min(options_.interval, kInputPause);
  times_.input = now;
  if (!after_pause || report_pending_) return;
  const absl::Duration wait =
      options_.min_report_interval - absl::FromChrono(now - reported_at_);
  if (wait <= absl::ZeroDuration()) return Report();
  report_pending_ = true;
  loop_.Spawn(ReportAfter(wait));
}

net::Task<void> ActivityMonitor::ReportAfter(absl::Duration wait) {
  const int stopped = co_await net::Sleep(loop_, wait);
  if (stopped != 0) co_return;
  // A report in the meantime already contained that input.
  if (std::exchange(report_pending_, false)) Report();
}

net::Task<void> ActivityMonitor::Run() {
  cpu_time_ = sources_.cpu_time();
  Report();  // the backend learns that activity is monitored
  for (;;) {
    const int stopped = co_await net::Sleep(loop_, options_.interval);
    if (stopped != 0) co_return;
    co_await Check();
    Report();
  }
}

net::Task<void> ActivityMonitor::Check() {
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
  const ActivityTimes::Moment then = std::exchange(checked_at_, Now());
  cpu_time_ = sources_.cpu_time();
  if (!before || !cpu_time_ || !sources_.sees_all()) return true;
  const absl::Duration used = *cpu_time_ - *before;
  // The CPU time of a step that has ended is no longer counted.
  if (used < absl::ZeroDuration()) return true;
  return used > options_.min_share * absl::FromChrono(checked_at_ - then);
}

void ActivityMonitor::Report() {
  reported_at_ = Now();
  report_pending_ = false;
  on_times_(times_);
}

}  // namespace carme::agent
