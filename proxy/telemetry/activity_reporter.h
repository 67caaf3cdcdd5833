// Reports the activity of jobs to the backend at intervals.
#ifndef CARME_PROXY_TELEMETRY_ACTIVITY_REPORTER_H_
#define CARME_PROXY_TELEMETRY_ACTIVITY_REPORTER_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "proxy/control/route_watcher.h"
#include "proxy/telemetry/activity_aggregator.h"

namespace grpc {
class ClientContext;
}

namespace carme::proxy {

// Runs on its own thread. While the backend is unavailable, rows stay in the
// aggregator and are reported later.
class ActivityReporter {
 public:
  struct Intervals {
    absl::Duration changes = absl::Seconds(10);
    absl::Duration all_open = absl::Seconds(60);
  };

  // `aggregator` must outlive it.
  ActivityReporter(BackendEndpoint backend, ActivityAggregator* aggregator,
                   Intervals intervals);
  // Cancels a running call and joins the thread.
  ~ActivityReporter();
  void Start();

 private:
  class Channel;
  void Loop();
  absl::Status Report(const std::vector<ActivityRow>& rows);
  // False: the reporter is stopping.
  bool SetActiveCall(grpc::ClientContext* context);
  bool Wait();

  const BackendEndpoint backend_;
  ActivityAggregator* const aggregator_;
  const Intervals intervals_;
  const std::string instance_;
  std::unique_ptr<Channel> channel_;  // of the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;                       // guarded by mutex_
  grpc::ClientContext* active_call_ = nullptr;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_ACTIVITY_REPORTER_H_
