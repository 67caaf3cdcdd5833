// Passes samples on to the pages that show a running job.
#ifndef CARME_BACKEND_METRICS_QUERY_LIVE_SAMPLES_H_
#define CARME_BACKEND_METRICS_QUERY_LIVE_SAMPLES_H_

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "carme/v1/metrics.pb.h"
#include "carme/v1/samples.pb.h"

namespace carme::metrics {

class LiveSamples;

// Of one reader. What the reader does not take in time is dropped and counted.
class LiveSubscription {
 public:
  static constexpr size_t kMaxWaiting = 16;  // requests of at most 1 MiB

  ~LiveSubscription();
  LiveSubscription(const LiveSubscription&) = delete;
  LiveSubscription& operator=(const LiveSubscription&) = delete;

  // The samples since the last call; waits for them for at most `timeout`.
  v1::WatchJobMetricsResponse Wait(absl::Duration timeout);

 private:
  friend class LiveSamples;
  LiveSubscription(LiveSamples* samples, std::string job,
                   std::set<std::string> names)
      : samples_(samples), job_(std::move(job)), names_(std::move(names)) {}
  void Add(const SampleRequestView& request);

  LiveSamples* const samples_;
  const std::string job_;
  const std::set<std::string> names_;  // empty: all
  absl::Mutex mutex_;
  std::deque<v1::NodeSamples> waiting_ ABSL_GUARDED_BY(mutex_);
  uint64_t skipped_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Thread-safe. Must outlive its subscriptions.
class LiveSamples : public SampleListener {
 public:
  void OnSamples(const SampleRequestView& request) override;
  std::unique_ptr<LiveSubscription> Subscribe(const std::string& job,
                                              std::set<std::string> names);

 private:
  friend class LiveSubscription;
  absl::Mutex mutex_;
  std::multimap<std::string, LiveSubscription*> readers_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_QUERY_LIVE_SAMPLES_H_
