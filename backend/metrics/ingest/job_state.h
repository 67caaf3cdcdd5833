// What carme-metrics keeps in memory of a job that sends samples.
#ifndef CARME_BACKEND_METRICS_INGEST_JOB_STATE_H_
#define CARME_BACKEND_METRICS_INGEST_JOB_STATE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backend/metrics/ingest/sample_request_view.h"
#include "carme/archive/v1/archive.pb.h"
#include "carme/v1/metrics.pb.h"
#include "carme/v1/samples.pb.h"

namespace carme::metrics {

// Thread-safe.
class JobState {
 public:
  static constexpr size_t kMaxEvents = 1000;  // the newest are kept
  static constexpr size_t kMaxNodes = 4096;
  static constexpr size_t kMaxSources = 4 * kMaxNodes;
  static constexpr size_t kMaxNames = 512;  // of series of a source

  // Whether `samples` more samples are allowed now; counts them if so.
  template <typename Limiter>
  bool Allow(const Limiter& limiter, int64_t now_ns, int64_t samples) {
    absl::MutexLock lock(&mutex_);
    used_at_ = absl::FromUnixNanos(now_ns);
    limiter.ResetAfterClockChange(&rate_due_, now_ns);
    return limiter.Allow(&rate_due_, now_ns, samples);
  }

  // The time of the newest stored sample of a series; 0: none yet. False: the
  // series is new and the job has `max_series`.
  bool Find(uint64_t series, size_t max_series, int64_t* stored_until_ms);
  // The samples of a series up to that time are stored.
  struct StoredSeries {
    uint64_t series;
    int64_t until_ms;
  };
  void SetStored(absl::Span<const StoredSeries> stored);

  // Where the values of a new series come from: SampleSeries.source.
  void NoteSource(std::string_view node, uint32_t source,
                  std::string_view series);
  // Takes in all but the series of `node`, whose samples were stored.
  void Note(const NodeSamplesView& node, uint64_t stored, uint64_t rejected,
            int64_t clock_offset_ms);
  // What the owner says about the findings of a rule; replaces what was said
  // before.
  void Rate(const archive::v1::FindingRating& rating);
  // What the archive keeps beside the series.
  archive::v1::JobNotes Notes() const;
  void Restore(const archive::v1::JobNotes& notes);
  // Whether notes have changed since the last call.
  bool TakeChanged();

  size_t series() const;
  absl::Time used_at() const;

 private:
  mutable absl::Mutex mutex_;
  int64_t rate_due_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time used_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::flat_hash_map<uint64_t, int64_t> stored_until_ms_
      ABSL_GUARDED_BY(mutex_);
  std::map<std::string, v1::NodeQuality> quality_ ABSL_GUARDED_BY(mutex_);
  std::map<std::pair<std::string, uint32_t>, v1::SampleSource> sources_
      ABSL_GUARDED_BY(mutex_);
  std::map<std::pair<std::string, uint32_t>, std::set<std::string>> names_
      ABSL_GUARDED_BY(mutex_);
  std::map<std::string, archive::v1::FindingRating> ratings_
      ABSL_GUARDED_BY(mutex_);  // by rule
  std::deque<v1::NodeEvent> events_ ABSL_GUARDED_BY(mutex_);
  bool changed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_INGEST_JOB_STATE_H_
