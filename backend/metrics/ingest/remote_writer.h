// Writes samples into a Prometheus-compatible database: remote-write 1.0 over
// HTTP, with connections that are kept.
#ifndef CARME_BACKEND_METRICS_INGEST_REMOTE_WRITER_H_
#define CARME_BACKEND_METRICS_INGEST_REMOTE_WRITER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/concurrency/concurrency_limiter.h"
#include "common/metrics/operation_meter.h"

namespace httplib {
class Client;
}

namespace carme::metrics {

// How to reach the database.
struct DatabaseAddress {
  std::string url;         // "http://127.0.0.1:8428", without a path
  std::string username{};  // of HTTP's basic authentication; empty: none
  std::string password{};
  std::string ca{};  // PEM file for https; empty: the system's authorities
};

// A new connection; null: the URL is invalid. `timeout` is for each step of a
// request.
std::unique_ptr<httplib::Client> NewDatabaseClient(
    const DatabaseAddress& address, absl::Duration timeout);

// Thread-safe. Memory is bounded by the number of concurrent writes.
class RemoteWriter {
 public:
  struct Options {
    DatabaseAddress address;
    absl::Duration timeout = absl::Seconds(5);  // of each step of a request
    int max_concurrent_writes = 16;
  };
  explicit RemoteWriter(Options options);
  ~RemoteWriter();

  // Blocks until the database has answered. UNAVAILABLE: it has not stored the
  // samples, or not all writes may wait for it; write them again.
  // INVALID_ARGUMENT: it refuses them for ever, such as samples older than its
  // newest ones; some may be stored.
  // `request`: a serialised prometheus::WriteRequest.
  absl::Status Write(std::string_view request);

  // Writes by result: "stored", "refused", "failed", "busy".
  const OperationMeter& writes() const { return writes_; }
  // Whether the last write was answered.
  bool is_reachable() const;

 private:
  enum Result : size_t { kStored, kRefused, kFailed, kBusy };

  // Null: none is idle.
  std::unique_ptr<httplib::Client> TakeIdle();
  void Return(std::unique_ptr<httplib::Client> client);
  void Note(const absl::Status& status);
  absl::Status Post(const std::string& body);
  // The answer of the database, if there is one.
  std::optional<absl::Status> PostOn(std::unique_ptr<httplib::Client> client,
                                     const std::string& body,
                                     std::string* error);

  const Options options_;
  ConcurrencyLimiter<int> limiter_;
  OperationMeter writes_{{"write"}, {"stored", "refused", "failed", "busy"}};
  mutable absl::Mutex mutex_;
  std::vector<std::unique_ptr<httplib::Client>> idle_ ABSL_GUARDED_BY(mutex_);
  absl::Time failed_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Time logged_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  bool is_reachable_ ABSL_GUARDED_BY(mutex_) = true;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_INGEST_REMOTE_WRITER_H_
