// What programs ask of Prometheus' HTTP API, over the jobs of one person.
#ifndef CARME_BACKEND_METRICS_QUERY_PROMETHEUS_QUERIES_H_
#define CARME_BACKEND_METRICS_QUERY_PROMETHEUS_QUERIES_H_

#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "carme/v1/metrics.pb.h"
#include "carme/v1/metrics_access.pb.h"
#include "common/concurrency/concurrency_limiter.h"

namespace carme::metrics {

class DatabaseReader;

// The ids of those of `jobs` that may have samples between the two times.
std::vector<std::string> JobsBetween(const std::vector<v1::MeasuredJob>& jobs,
                                     int64_t from_ms, int64_t to_ms);

// Thread-safe.
class PrometheusQueries {
 public:
  static constexpr int64_t kMaxPoints = 11'000;  // as Prometheus
  static constexpr int kMaxMatches = 16;
  static constexpr size_t kMaxAnswerBytes = size_t{32} << 20;

  // Dashboards ask for all their panels at once: what exceeds `running` waits.
  struct Limits {
    int running = 8;
    int running_per_user = 4;
    int pending = 64;  // running and waiting
    int pending_per_user = 24;
    absl::Duration wait = absl::Seconds(10);
  };
  // `reader` must outlive the object.
  PrometheusQueries(DatabaseReader* reader, const Limits& limits);

  // `data` of the answer. `jobs`: all that `user` may query. Blocks.
  // INVALID_ARGUMENT: invalid query or times; RESOURCE_EXHAUSTED: too many
  // queries, or too large an answer; and the errors of DatabaseReader.
  absl::StatusOr<std::string> Answer(const std::string& user,
                                     const std::vector<v1::MeasuredJob>& jobs,
                                     const v1::QueryPrometheusRequest& request);

  // How many queries run or wait.
  int pending() const { return pending_.count(); }

 private:
  using Limiter = ConcurrencyLimiter<std::string>;
  using Jobs = std::vector<v1::MeasuredJob>;

  // Not acquired: waited too long.
  Limiter::Slot Wait(const std::string& user) ABSL_LOCKS_EXCLUDED(mutex_);
  void Release(Limiter::Slot slot) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<std::string> Ask(const Jobs& jobs,
                                  const v1::QueryPrometheusRequest& request);
  absl::StatusOr<std::string> AskInstant(
      const Jobs& jobs, const v1::QueryPrometheusRequest::Instant& request);
  absl::StatusOr<std::string> AskRange(
      const Jobs& jobs, const v1::QueryPrometheusRequest::Range& request);
  absl::StatusOr<std::string> Search(
      const Jobs& jobs, const std::string& path,
      const v1::QueryPrometheusRequest::Search& request);
  absl::StatusOr<std::string> SearchLabelValues(
      const Jobs& jobs, const v1::QueryPrometheusRequest::Search& request);

  DatabaseReader* const reader_;
  const Limits limits_;
  Limiter pending_;
  Limiter running_;
  absl::Mutex mutex_;
  absl::CondVar released_;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_QUERY_PROMETHEUS_QUERIES_H_
