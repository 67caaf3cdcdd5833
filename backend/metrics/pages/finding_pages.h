// What rules find in jobs, and receipts: of running jobs from the database, of
// ended ones from their archives.
#ifndef CARME_BACKEND_METRICS_PAGES_FINDING_PAGES_H_
#define CARME_BACKEND_METRICS_PAGES_FINDING_PAGES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/metrics/archive/archive_store.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/jobs/known_jobs.h"
#include "backend/metrics/query/database_reader.h"
#include "carme/v1/findings.pb.h"
#include "carme/v1/metrics_access.pb.h"
#include "common/clock.h"
#include "common/metric_rules/rule_set.h"

namespace carme::metrics {

// Thread-safe, except Step(). Functions block for queries and files.
class FindingPages {
 public:
  struct Parts {
    const ArchiveStore* store;
    SampleIngest* ingest;
    const KnownJobs* jobs;
    DatabaseReader* reader;
    const metric_rules::RuleSet* rules;
    const Clock* clock;
  };
  // Pointers must outlive the object.
  explicit FindingPages(const Parts& parts) : parts_(parts) {}

  // Evaluates the running jobs that are due: each minute, long ones less
  // often. Call it every few seconds from one thread.
  void Step();

  // `job`: its record, which the caller may see.
  absl::StatusOr<v1::ListJobFindingsResponse> List(const v1::MeasuredJob& job);
  // Of a running job, if that has changed since `*version`, which is updated;
  // 0: nothing is known of it yet. nullopt: unchanged, or not evaluated yet.
  // Does not block.
  std::optional<v1::ListJobFindingsResponse> FindChanged(
      const std::string& job, uint64_t* version) const;
  // INVALID_ARGUMENT: no such rule; NOT_FOUND: no samples of the job. `job`: of
  // which the caller is the owner.
  absl::Status Rate(const v1::MeasuredJob& job,
                    const v1::RateJobFindingRequest& request);
  // NOT_FOUND: there are no samples of the job.
  absl::StatusOr<v1::JobReceipt> Receipt(const v1::MeasuredJob& job);

  // Of an ended job; absent: nothing is kept of it.
  absl::StatusOr<std::optional<v1::JobSummary>> Summary(
      const v1::MeasuredJob& job) const;

  // By rule: since the start.
  std::map<std::string, uint64_t> false_alarms() const;

 private:
  struct Evaluated {
    absl::Time at;
    std::vector<v1::JobFinding> findings;
    uint64_t version = 0;  // changes with the findings and their ratings
  };
  v1::ListJobFindingsResponse ResponseOf(const std::string& job,
                                         const Evaluated& evaluated) const;
  absl::Status Evaluate(const v1::MeasuredJob& job, absl::Time now);
  // NOT_FOUND: the job has no archive.
  absl::Status RateArchived(const std::string& job,
                            const archive::v1::FindingRating& rating);

  const Parts parts_;
  mutable absl::Mutex mutex_;
  std::map<std::string, Evaluated> evaluated_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_version_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, uint64_t> false_alarms_ ABSL_GUARDED_BY(mutex_);
  absl::Mutex archive_mutex_;  // held while an archive is written anew
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_FINDING_PAGES_H_
