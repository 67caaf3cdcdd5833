// Counters that any thread may add to while another one reads them, without
// locks. A scrape may see one value newer than another.
#ifndef CARME_COMMON_METRICS_METRIC_VALUES_H_
#define CARME_COMMON_METRICS_METRIC_VALUES_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace carme {

// Thread-safe. Only grows.
class MetricCounter {
 public:
  void Add(uint64_t more = 1) {
    value_.fetch_add(more, std::memory_order_relaxed);
  }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_ = 0;
};

// Upper bounds in seconds of the buckets of all histograms; the last bucket is
// open.
inline constexpr std::array<double, 9> kDurationBuckets = {
    0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300};

// The bucket of a duration. A bound belongs to the bucket below it.
inline size_t DurationBucketOf(double seconds) {
  return static_cast<size_t>(std::lower_bound(kDurationBuckets.begin(),
                                              kDurationBuckets.end(), seconds) -
                             kDurationBuckets.begin());
}

// What a histogram has counted: by bucket, not cumulative.
struct DurationCounts {
  std::array<uint64_t, kDurationBuckets.size() + 1> by_bucket{};
  uint64_t microseconds = 0;
};

// Thread-safe.
class DurationHistogram {
 public:
  // A negative duration, after the clock was set, counts as zero.
  void Observe(absl::Duration duration) {
    duration = std::max(duration, absl::ZeroDuration());
    by_bucket_[DurationBucketOf(absl::ToDoubleSeconds(duration))].Add();
    microseconds_.Add(
        static_cast<uint64_t>(absl::ToInt64Microseconds(duration)));
  }
  DurationCounts counts() const {
    DurationCounts counts;
    for (size_t i = 0; i < by_bucket_.size(); ++i) {
      counts.by_bucket[i] = by_bucket_[i].value();
    }
    counts.microseconds = microseconds_.value();
    return counts;
  }

 private:
  std::array<MetricCounter, kDurationBuckets.size() + 1> by_bucket_;
  MetricCounter microseconds_;
};

}  // namespace carme

#endif  // CARME_COMMON_METRICS_METRIC_VALUES_H_
