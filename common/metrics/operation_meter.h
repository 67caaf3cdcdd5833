// Counts operations of a fixed set of kinds by result, with their durations:
// calls by rpc and code, transactions, operations of another program.
//
//   OperationMeter meter({"query", "commit"}, {"ok", "failed"});
//   OperationMeter::Scope commit(&meter, /*kind=*/1, /*result=*/1);
//   if (Commit().ok()) commit.SetResult(0);
#ifndef CARME_COMMON_METRICS_OPERATION_METER_H_
#define CARME_COMMON_METRICS_OPERATION_METER_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/metrics/metric_values.h"
#include "common/metrics/metrics_writer.h"

namespace carme {

// Thread-safe, without locks. Kinds and results are indices into the lists of
// the constructor.
class OperationMeter {
 public:
  OperationMeter(std::vector<std::string> kinds,
                 std::vector<std::string> results);
  // The results are the status codes: "OK", "CANCELLED" and so on.
  explicit OperationMeter(std::vector<std::string> kinds);

  void Count(size_t kind, size_t result, absl::Duration duration) {
    CountWithoutDuration(kind, result);
    durations_[kind].Observe(duration);
  }
  // For operations that were refused before they began, and for those whose
  // duration means nothing, such as streams.
  void CountWithoutDuration(size_t kind, size_t result) {
    counts_[kind * results_.size() + result].Add();
  }

  // Measures one operation from its construction to its destruction. Not
  // thread-safe. The meter must outlive it.
  class Scope {
   public:
    // `result`: counted unless another one is set.
    Scope(OperationMeter* meter, size_t kind, size_t result);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    void SetResult(size_t result) { result_ = result; }
    // For a meter of status codes.
    void SetCode(const absl::Status& status) {
      result_ = static_cast<size_t>(status.code());
    }

   private:
    OperationMeter& meter_;
    const size_t kind_;
    size_t result_;
    const absl::Time began_;
  };

  // Scopes that exist.
  int running() const { return running_.load(std::memory_order_relaxed); }

  struct Families {
    std::string_view total;  // the counter's name
    std::string_view total_help;
    std::string_view seconds;  // the histogram's name
    std::string_view seconds_help;
    std::string_view kind;    // label
    std::string_view result;  // label
  };
  // Writes both families. Leaves out what was never counted.
  void Write(const Families& families, MetricsWriter* writer) const;

 private:
  const std::vector<std::string> kinds_;
  const std::vector<std::string> results_;
  const std::unique_ptr<MetricCounter[]> counts_;  // by kind, then by result
  const std::unique_ptr<DurationHistogram[]> durations_;  // by kind
  std::atomic<int> running_ = 0;
};

}  // namespace carme

#endif  // CARME_COMMON_METRICS_OPERATION_METER_H_
