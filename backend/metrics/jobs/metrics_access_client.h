// The connection to the backend: receives which jobs run and have ended, and
// asks who may see them.
#ifndef CARME_BACKEND_METRICS_JOBS_METRICS_ACCESS_CLIENT_H_
#define CARME_BACKEND_METRICS_JOBS_METRICS_ACCESS_CLIENT_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "carme/v1/gpu_use.pb.h"
#include "carme/v1/metrics_access.pb.h"
#include "common/concurrency/background_thread.h"
#include "common/pki/tls_files.h"

namespace grpc {
class Channel;
class ClientContext;
}  // namespace grpc

namespace carme::metrics {

// Receives the messages of the backend, on one thread.
class BackendListener {
 public:
  virtual ~BackendListener() = default;
  virtual void OnJobs(const v1::WatchMeasuredJobsResponse& message) = 0;
};

// Thread-safe. When the connection is lost it is made again, with the present
// certificates.
class MetricsAccessClient {
 public:
  struct Options {
    std::string address;      // host:port
    std::string server_name;  // in its certificate
    TlsFilePaths tls;
  };
  // Starts. `listener` must outlive the object.
  MetricsAccessClient(Options options, BackendListener* listener);
  ~MetricsAccessClient();
  MetricsAccessClient(const MetricsAccessClient&) = delete;
  MetricsAccessClient& operator=(const MetricsAccessClient&) = delete;

  // The errors of MetricsAccessService. UNAVAILABLE: not connected. Block for
  // at most 5 s.
  absl::StatusOr<v1::AuthorizeMetricsResponse> Authorize(
      const v1::AuthorizeMetricsRequest& request);
  absl::StatusOr<v1::MeasuredJob> Find(const std::string& job);
  absl::Status RecordNodeFindings(const v1::RecordNodeFindingsRequest& request);
  // The errors of GpuUseService; the same limits.
  absl::StatusOr<v1::ListJudgedJobsResponse> ListJudgedJobs();
  absl::Status ReportGpuUse(const v1::ReportGpuUseRequest& request);

  bool is_connected() const;

 private:
  absl::Duration WatchNext();
  absl::Status WatchOnce() ABSL_LOCKS_EXCLUDED(mutex_);
  void CancelSilentStream() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::shared_ptr<grpc::Channel>> channel() const;

  const Options options_;
  BackendListener* const listener_;
  mutable absl::Mutex mutex_;
  grpc::ClientContext* stream_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::shared_ptr<grpc::Channel> channel_ ABSL_GUARDED_BY(mutex_);
  absl::Time last_message_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  bool is_connected_ ABSL_GUARDED_BY(mutex_) = false;
  bool loss_logged_ = false;   // used by the reader's thread only
  BackgroundThread reader_;    // the threads are last: they use the other
  BackgroundThread watchdog_;  // members
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_JOBS_METRICS_ACCESS_CLIENT_H_
