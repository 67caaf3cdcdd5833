// Watches whether a job is used: a person's input, kernels that compute, work
// of its processes and GPUs. Tells the backend, which judges.
//
// What cannot be seen is taken for work.
//
// Thread rule: the loop's thread.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_ACTIVITY_MONITOR_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_ACTIVITY_MONITOR_H_

#include <chrono>
#include <functional>
#include <optional>

#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

// When each was last seen; nothing: never.
struct ActivityTimes {
  using Moment = std::chrono::steady_clock::time_point;
  std::optional<Moment> input;
  std::optional<Moment> kernel;
  std::optional<Moment> work;
};

struct ActivityMonitorOptions {
  absl::Duration interval = absl::Seconds(60);
  // Of input after a longer time without any the backend hears at once, or as
  // soon as it is so long after what it heard last.
  absl::Duration soonest = absl::Seconds(15);
  // Of one processor: more is work.
  double min_share = 0.1;
};

class ActivityMonitor {
 public:
  using Answer = net::Task<std::optional<bool>>;
  struct Sources {
    // Used so far; nothing: it cannot be seen.
    std::function<std::optional<absl::Duration>()> cpu_time;
    // Null: there is none of it. Nothing: it cannot be told.
    std::function<Answer()> kernel_busy;
    std::function<Answer()> gpu_busy;
    // Whether all of the job is where it is seen.
    std::function<bool()> sees_all;
  };
  using Say = std::function<void(const ActivityTimes&)>;

  // `loop` must outlive this; begins at once. A job that begins is in use.
  ActivityMonitor(net::EventLoop& loop, Sources sources, Say say,
                  ActivityMonitorOptions options = {});

  void OnInput();

 private:
  net::Task<void> Run();
  net::Task<void> TellAfter(absl::Duration wait);
  net::Task<void> Look();
  bool SeesWork();
  void Tell();

  net::EventLoop& loop_;
  const Sources sources_;
  const Say say_;
  const ActivityMonitorOptions options_;
  ActivityTimes times_;
  ActivityTimes::Moment said_at_;
  ActivityTimes::Moment looked_at_;
  bool awaits_telling_ = false;  // TellAfter() runs, for nothing if it is false
  std::optional<absl::Duration> cpu_time_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_ACTIVITY_MONITOR_H_
