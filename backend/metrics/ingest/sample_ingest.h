// Takes in the samples of jobs: checks that they belong to the job of the
// caller's certificate, limits them, and writes them into the database.
#ifndef CARME_BACKEND_METRICS_INGEST_SAMPLE_INGEST_H_
#define CARME_BACKEND_METRICS_INGEST_SAMPLE_INGEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/metrics/ingest/job_state.h"
#include "backend/metrics/ingest/remote_writer.h"
#include "backend/metrics/ingest/sample_request_view.h"
#include "backend/metrics/jobs/known_jobs.h"
#include "carme/v1/samples.pb.h"
#include "common/clock.h"
#include "common/concurrency/concurrency_limiter.h"
#include "common/concurrency/rate_limiter.h"
#include "common/metrics/metric_values.h"

namespace carme::metrics {

struct IngestLimits {
  int samples_per_s_per_job = 20'000;
  int series_per_job = 20'000;
  int jobs = 20'000;  // that are remembered at a time
};

// Receives the samples that were stored. Must not block.
class SampleListener {
 public:
  virtual ~SampleListener() = default;
  virtual void OnSamples(const SampleRequestView& request) = 0;
};

// Thread-safe. A series is written in the order of its times, as databases
// require: of one job and node, one write runs at a time.
class SampleIngest {
 public:
  struct Parts {
    RemoteWriter* writer;
    KnownJobs* jobs;
    const Clock* clock;
    SampleListener* listener = nullptr;  // null: none
  };
  // Pointers must outlive the object.
  SampleIngest(const Parts& parts, const IngestLimits& limits);
  ~SampleIngest();

  // `job`: of the caller's certificate; `request`: a serialised
  // v1::WriteSamplesRequest. Errors: samples.proto. Samples that
  // were stored before are not written again, so that a repeated request does
  // no harm. Samples of nodes that the job has returned to Slurm are rejected.
  // Blocks until the database has answered.
  absl::StatusOr<v1::WriteSamplesResponse> Write(const std::string& job,
                                                 std::string_view request);

  // Null: no samples of the job came.
  std::shared_ptr<JobState> Find(const std::string& job) const;
  // The state of a job, which is made if there is none. Null: too many jobs.
  std::shared_ptr<JobState> FindOrAdd(const std::string& job);
  void Drop(const std::string& job);
  std::vector<std::string> Jobs() const;

  struct Counts {
    uint64_t stored = 0;     // samples
    uint64_t repeated = 0;   // that had been stored before
    uint64_t rejected = 0;   // malformed, too old or too new, of too many
                             // series, or of a returned node
    uint64_t refused = 0;    // for ever, by the database
    uint64_t over_rate = 0;  // requests
    int jobs = 0;
    int64_t series = 0;
  };
  Counts counts() const;

 private:
  struct Batch;
  class BatchLease;
  absl::Status Check(const std::string& job,
                     const SampleRequestView& request) const;
  absl::StatusOr<v1::WriteSamplesResponse> WriteChecked(const std::string& job,
                                                        Batch* batch);
  void Add(const std::string& job, const NodeSamplesView& node, int64_t now_ms,
           JobState* state, Batch* batch) const;
  void AddSeries(const std::string& job, const NodeSamplesView& node,
                 const SeriesView& series, int64_t now_ms, JobState* state,
                 Batch* batch) const;
  absl::Status Store(const Batch& batch);

  const Parts parts_;
  const IngestLimits limits_;
  const RateLimiter rate_;
  ConcurrencyLimiter<std::string> writing_;  // by job and node
  MetricCounter stored_;
  MetricCounter repeated_;
  MetricCounter rejected_;
  MetricCounter refused_;
  MetricCounter over_rate_;
  absl::Mutex batches_mutex_;
  // Kept for their memory; as many as requests have run at the same time.
  std::vector<std::unique_ptr<Batch>> batches_ ABSL_GUARDED_BY(batches_mutex_);
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<JobState>> states_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_INGEST_SAMPLE_INGEST_H_
