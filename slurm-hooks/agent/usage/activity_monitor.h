// Monitors whether a job is in use: input of a person, kernels that compute,
// CPU time of its processes, GPUs. Sends the times to the backend, which
// decides.
//
// Unknown counts as in use.
//
// Thread safety: used on the loop's thread only.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_ACTIVITY_MONITOR_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_ACTIVITY_MONITOR_H_

#include <chrono>
#include <functional>
#include <optional>

#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

// When each was last seen; nullopt: never.
struct ActivityTimes {
  using Moment = std::chrono::steady_clock::time_point;
  std::optional<Moment> input;
  std::optional<Moment> kernel;
  std::optional<Moment> work;
};

struct ActivityMonitorOptions {
  absl::Duration interval = absl::Seconds(60);
  // Input after a minute without input, or after `interval` if that is shorter,
  // is reported at once, but not sooner than this after the last report.
  absl::Duration min_report_interval = absl::Seconds(15);
  // Share of one CPU; more counts as work.
  double min_share = 0.1;
};

class ActivityMonitor {
 public:
  using Answer = net::Task<std::optional<bool>>;
  struct Sources {
    // CPU time used so far; nullopt: unknown.
    std::function<std::optional<absl::Duration>()> cpu_time;
    // Null: not present. Returns nullopt if unknown.
    std::function<Answer()> kernel_busy;
    std::function<Answer()> gpu_busy;
    // Whether all processes of the job are visible here.
    std::function<bool()> sees_all;
  };
  using OnTimes = std::function<void(const ActivityTimes&)>;

  // `loop` must outlive this. Starts at once. A new job counts as in use.
  ActivityMonitor(net::EventLoop& loop, Sources sources, OnTimes on_times,
                  ActivityMonitorOptions options = {});

  void OnInput();

 private:
  net::Task<void> Run();
  net::Task<void> ReportAfter(absl::Duration wait);
  net::Task<void> Check();
  bool SeesWork();
  void Report();

  net::EventLoop& loop_;
  const Sources sources_;
  const OnTimes on_times_;
  const ActivityMonitorOptions options_;
  ActivityTimes times_;
  ActivityTimes::Moment reported_at_;
  ActivityTimes::Moment checked_at_;
  bool report_pending_ = false;  // a ReportAfter() is pending
  std::optional<absl::Duration> cpu_time_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_ACTIVITY_MONITOR_H_
