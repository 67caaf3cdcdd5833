// Samples of one node until they are sent: columns of times and values by
// series, at most five minutes and a bounded number of bytes.
//
// What does not fit is dropped, the oldest first, and counted. Values are
// stored as they were read: counters stay counters, and a value that cannot be
// read is never added.
#ifndef CARME_SLURM_HOOKS_SAMPLER_SAMPLE_BUFFER_H_
#define CARME_SLURM_HOOKS_SAMPLER_SAMPLE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "carme/v1/samples.pb.h"

namespace carme::sampler {

using Labels = std::map<std::string, std::string>;

// Limits of one request or line; samples.proto has those of carme-metrics.
struct BatchLimits {
  size_t max_bytes = 512 << 10;
  size_t max_series = 4096;
  size_t max_samples = 60'000;
};

// Thread-safe.
class SampleBuffer {
 public:
  struct Limits {
    absl::Duration max_age = absl::Minutes(5);
    size_t max_samples = 256 << 10;  // 16 bytes each
    size_t max_series = 2000;
    size_t max_events = 200;
  };
  // Identifies a series; kNoSeries: the limit is reached.
  using SeriesId = uint32_t;
  static constexpr SeriesId kNoSeries = UINT32_MAX;

  explicit SampleBuffer(std::string node);
  SampleBuffer(std::string node, Limits limits);

  // Returns the id for AddSeries.
  uint32_t AddSource(const std::string& name, const std::string& version,
                     const std::string& library);
  // The source stopped answering. Adds an event the first time.
  void SetDead(uint32_t source, int64_t time_ms);

  // A series that exists already is returned. Label values are cut to 128
  // bytes, and bytes that are not UTF-8 are replaced.
  SeriesId AddSeries(uint32_t source, std::string_view name,
                     const Labels& labels);
  // Nothing more is added to the series. What it contains is still sent.
  void EndSeries(SeriesId series);

  // Drops the value, counted, when it is not finite, the series is kNoSeries,
  // or the time is not after the last one that is still here.
  void Add(SeriesId series, int64_t time_ms, double value);
  void AddEvent(int64_t time_ms, std::string_view kind, std::string_view text,
                const Labels& labels);
  void CountMissed(uint64_t samples);
  void CountDropped(uint64_t samples);

  // Moves the oldest content into a message. nullopt: there is nothing to send.
  std::optional<carme::v1::NodeSamples> Take(int64_t now_ms,
                                             const BatchLimits& limits);
  // For the content of a message that was not accepted and is given up: all of
  // it counts as dropped.
  void GiveUp(const carme::v1::NodeSamples& samples);

  const std::string& node() const { return node_; }
  size_t sample_count() const;
  // The number of samples that were ever added.
  uint64_t added_count() const;

 private:
  struct Sample {
    int64_t time_ms;
    double value;
  };
  struct Series {
    std::string name;
    Labels labels;
    uint32_t source = 0;
    size_t bytes = 0;   // of name and labels in a message
    bool free = false;  // may be reused
    bool ended = false;
    std::vector<Sample> samples;
  };

  void DropBefore(int64_t time_ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Erase(Series* series) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t OldestTime() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void Push(int64_t time_ms, std::string_view kind, std::string_view text,
            const Labels& labels) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string node_;
  const Limits limits_;
  mutable absl::Mutex mutex_;
  std::vector<carme::v1::SampleSource> sources_ ABSL_GUARDED_BY(mutex_);
  std::vector<Series> series_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, SeriesId> ids_ ABSL_GUARDED_BY(mutex_);
  std::vector<SeriesId> free_ ABSL_GUARDED_BY(mutex_);
  std::deque<carme::v1::NodeEvent> events_ ABSL_GUARDED_BY(mutex_);
  size_t sample_count_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t added_count_ ABSL_GUARDED_BY(mutex_) = 0;
  // Where the next message starts, so that every series is sent in turn.
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t missed_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
};

// The number of samples in a message.
uint64_t CountSamples(const carme::v1::NodeSamples& samples);

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_SAMPLE_BUFFER_H_
