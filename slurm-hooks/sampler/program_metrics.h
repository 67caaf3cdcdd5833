// Values that a program of the job reports itself: lines on the metrics socket,
// and known patterns in its output. Bounded in rate, names and bytes; what
// exceeds a limit is counted, and the count is a series, too.
//
//   loss:0.25|g
//   tokens:512|c|#worker:3
#ifndef CARME_SLURM_HOOKS_SAMPLER_PROGRAM_METRICS_H_
#define CARME_SLURM_HOOKS_SAMPLER_PROGRAM_METRICS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/concurrency/rate_limiter.h"
#include "slurm-hooks/sampler/metric_source.h"

namespace carme::sampler {

// One line of the socket.
struct ProgramValue {
  std::string name;  // [a-z][a-z0-9_]*
  bool is_counter = false;
  // Of a counter: what is added, not negative. Of a gauge: may be NaN or
  // infinite.
  double value = 0;
  Labels labels;
};
// "name:value|g" or "name:value|c", then "|@rate" and "|#key:value,key:value".
// Upper case becomes lower case in names, and other characters become "_".
// nullopt: not such a line. Pure.
std::optional<ProgramValue> ParseMetricLine(std::string_view line);

// The known values in a line of a program's output, such as "step=10
// loss=0.5 tokens/s=1200" or "epoch: 3", also "loss=nan". Pure.
std::vector<std::pair<std::string, double>> ParseOutputLine(
    std::string_view line);

// Thread-safe. Sample() adds the last value of each gauge that was reported
// since the last round, and the sum of each counter.
class ProgramMetrics : public MetricSource {
 public:
  struct Limits {
    absl::Duration line_interval = absl::Seconds(1) / 2000;
    int64_t line_burst = 4000;
    size_t max_names = 200;  // with labels
    size_t max_line_bytes = 1024;
  };
  explicit ProgramMetrics(SampleBuffer* buffer);
  ProgramMetrics(SampleBuffer* buffer, Limits limits);

  // A packet of the socket: one or more lines.
  void AddPacket(std::string_view packet, int64_t now_ns);
  // A packet that was not read.
  void CountUnread(uint64_t packets);
  // A piece of the output of a program; lines may continue in the next piece.
  void AddOutput(std::string_view piece, int64_t now_ns);

  void Sample(int64_t now_ms, SampleBuffer* buffer) override;

 private:
  enum Reason : size_t { kRate, kNames, kInvalid, kReasons };
  struct Value {
    SampleBuffer::SeriesId series = SampleBuffer::kNoSeries;
    std::string name;
    Labels labels;
    bool is_counter = false;
    double value = 0;
    bool is_new = false;
  };
  void AddLine(std::string_view line) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddOutputLine(int64_t now_ns) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The program reported a value that is not finite. Keeps the name for an
  // event, once.
  void NoteNotFinite(const std::string& name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Put(ProgramValue value) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Allow(int64_t now_ns) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Limits limits_;
  const RateLimiter limiter_;
  uint32_t source_ = 0;
  absl::Mutex mutex_;
  int64_t due_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Value> values_ ABSL_GUARDED_BY(mutex_);
  uint64_t rejected_[kReasons] ABSL_GUARDED_BY(mutex_) = {};
  uint64_t reported_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_report_ms_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<std::string> not_finite_ ABSL_GUARDED_BY(mutex_);
  // Of them, those without an event yet.
  std::vector<std::string> new_not_finite_ ABSL_GUARDED_BY(mutex_);
  std::string output_ ABSL_GUARDED_BY(mutex_);  // the line so far
  bool skips_line_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_step_ ABSL_GUARDED_BY(mutex_) = false;
  bool step_reported_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_PROGRAM_METRICS_H_
