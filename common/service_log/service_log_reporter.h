// Sends the warnings and errors of this process to the backend's service log.
//
// Logging never waits. Entries wait in memory while the backend does not
// respond; beyond kMaxWaitingLogEntries the newest are dropped and counted. The
// complete log is the process's own.
#ifndef CARME_COMMON_SERVICE_LOG_SERVICE_LOG_REPORTER_H_
#define CARME_COMMON_SERVICE_LOG_SERVICE_LOG_REPORTER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "carme/v1/log.pb.h"
#include "common/concurrency/background_thread.h"
#include "common/log.h"

namespace carme {

inline constexpr size_t kMaxWaitingLogEntries = 500;
inline constexpr int kMaxReportedLogEntries = 100;  // in a request

// At most one in a process, because it is the process's log observer.
class ServiceLogReporter {
 public:
  // Sends one request, in a few seconds at most. Called by one thread; must not
  // log. Entries stay after UNAVAILABLE and DEADLINE_EXCEEDED only.
  using Send = std::function<absl::Status(const v1::ReportLogEntriesRequest&)>;

  struct Pace {
    absl::Duration between_reports = absl::Seconds(2);
    // While the backend does not respond.
    absl::Duration between_retries = absl::Seconds(2);
  };
  explicit ServiceLogReporter(Send send)
      : ServiceLogReporter(std::move(send), Pace()) {}
  ServiceLogReporter(Send send, Pace pace);
  ServiceLogReporter(const ServiceLogReporter&) = delete;
  ServiceLogReporter& operator=(const ServiceLogReporter&) = delete;
  // Waits for a running Send, and sends what is left once.
  ~ServiceLogReporter();

 private:
  struct WaitingEntry {
    absl::Time at;
    v1::ReportedLogEntry entry;
  };
  void Add(LogLevel level, std::string_view event, LogFields fields);
  // Returns the time until the next call.
  absl::Duration SendNext();
  v1::ReportLogEntriesRequest NextRequest() const;
  void Remove(const v1::ReportLogEntriesRequest& sent);

  const Send send_;
  const Pace pace_;
  absl::Time next_at_ = absl::InfinitePast();  // used by the thread only
  mutable absl::Mutex mutex_;
  std::deque<WaitingEntry> waiting_ ABSL_GUARDED_BY(mutex_);
  uint64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  BackgroundThread thread_;  // last: uses the other members
};

}  // namespace carme

#endif  // CARME_COMMON_SERVICE_LOG_SERVICE_LOG_REPORTER_H_
