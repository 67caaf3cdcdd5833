// Reports the activity of jobs to the backend at intervals.
#ifndef CARME_PROXY_TELEMETRY_ACTIVITY_REPORTER_H_
#define CARME_PROXY_TELEMETRY_ACTIVITY_REPORTER_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/concurrency/background_thread.h"
#include "proxy/control/backend_call_channel.h"
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

  // Both must outlive it.
  ActivityReporter(const BackendCallChannel* backend,
                   ActivityAggregator* aggregator, Intervals intervals);
  // Cancels a running call and joins the thread.
  ~ActivityReporter();
  void Start();

 private:
  void ReportChanges();
  absl::Status Report(const std::vector<ActivityRow>& rows);
  // False: the reporter is stopping.
  bool SetActiveCall(grpc::ClientContext* context);

  const BackendCallChannel& backend_;
  ActivityAggregator* const aggregator_;
  const Intervals intervals_;
  const std::string instance_;
  // Used by the thread only.
  int64_t all_ms_ = 0;
  bool failure_logged_ = false;

  std::mutex mutex_;
  bool stopping_ = false;                       // guarded by mutex_
  grpc::ClientContext* active_call_ = nullptr;  // guarded by mutex_
  BackgroundThread thread_;                     // last: uses the other members
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_ACTIVITY_REPORTER_H_
