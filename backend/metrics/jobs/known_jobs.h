// The jobs that carme-metrics knows of: those that run, and those that have
// ended, of which no more samples are accepted.
#ifndef CARME_BACKEND_METRICS_JOBS_KNOWN_JOBS_H_
#define CARME_BACKEND_METRICS_JOBS_KNOWN_JOBS_H_

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "carme/v1/metrics_access.pb.h"

namespace carme::metrics {

// Thread-safe; no function blocks. The certificate of an agent proves that its
// job exists, so a job that is not known yet is accepted: the backend may be
// away. The certificate ends with the job's walltime.
class KnownJobs {
 public:
  // Ended jobs that are remembered. An agent ends seconds after its job.
  static constexpr size_t kMaxEnded = 50'000;

  // A later call for the same job replaces its record.
  void SetRunning(const v1::MeasuredJob& job);
  // True: it was not known to have ended.
  bool SetEnded(const std::string& job);
  bool HasEnded(const std::string& job) const;
  // The record of a running job; nullopt: not known to run.
  std::optional<v1::MeasuredJob> FindRunning(const std::string& job) const;
  std::vector<std::string> Running() const;
  // The nodes that the running job had and has returned to Slurm; usually none.
  std::set<std::string> ReturnedNodes(const std::string& job) const;

 private:
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, v1::MeasuredJob> running_
      ABSL_GUARDED_BY(mutex_);
  // Of running jobs that have returned nodes.
  absl::flat_hash_map<std::string, std::set<std::string>> returned_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<std::string> ended_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> ended_order_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_JOBS_KNOWN_JOBS_H_
