// Archives jobs that have ended, and keeps what the database does not have of
// jobs that run.
#ifndef CARME_BACKEND_METRICS_ARCHIVE_ARCHIVER_H_
#define CARME_BACKEND_METRICS_ARCHIVE_ARCHIVER_H_

#include <cstdint>
#include <map>
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
#include "common/clock.h"
#include "common/metric_rules/rule_set.h"
#include "common/metrics/metric_values.h"

namespace carme::metrics {

// The records of jobs, as the backend has them.
class JobRecords {
 public:
  virtual ~JobRecords() = default;
  // NOT_FOUND; UNAVAILABLE. May block.
  virtual absl::StatusOr<v1::MeasuredJob> Find(const std::string& job) = 0;
  // For the history of the job's nodes. May block.
  virtual absl::Status RecordNodeFindings(
      const v1::RecordNodeFindingsRequest& request) = 0;
};

// A job that has sent samples has a file with notes until it has an archive, so
// that a job whose end was not observed, or that was not archived before a
// crash, is archived after the next start.
//
// Thread-safe, except Step().
class Archiver {
 public:
  struct Parts {
    ArchiveStore* store;
    SampleIngest* ingest;
    KnownJobs* jobs;
    DatabaseReader* reader;
    JobRecords* records;
    const Clock* clock;
    const metric_rules::RuleSet* rules;
    std::string notes_directory;  // exists, and is of this user alone
  };
  // Pointers must outlive the object.
  explicit Archiver(Parts parts);

  // Reads the notes of jobs that have no archive yet. Call once, before agents
  // are served. Files that cannot be read are logged and left alone.
  void Restore();
  // The job has ended: archives it soon. Does not block.
  void OnEnded(const std::string& job);
  // Archives jobs that have ended, writes notes, asks for the state of jobs
  // that send nothing, and enforces the limits of archives. Blocks. Call it
  // every few seconds from one thread.
  void Step();

  struct Counts {
    uint64_t archived = 0;
    uint64_t failed = 0;   // attempts
    uint64_t removed = 0;  // by the limits
    int waiting = 0;
    int64_t files = 0;
    int64_t bytes = 0;
  };
  Counts counts() const;

 private:
  struct Ending {
    absl::Time due;
    absl::Duration delay = absl::Seconds(5);
    absl::Time since;
  };
  void ArchiveDue(absl::Time now);
  // `waited`: since its end.
  absl::Status Archive(const std::string& job, absl::Duration waited);
  void WriteNotes(absl::Time now);
  // A failure is logged: the job is archived without it.
  void RecordNodeFindings(const std::string& job,
                          const std::vector<v1::JobFinding>& findings);
  // The job has an archive: what was kept for it is not needed.
  void ClearNotes(const std::string& job);
  void AskForSilentJobs(absl::Time now);
  void EnforceLimits(absl::Time now);
  std::string NotesPath(const std::string& job) const;

  const Parts parts_;
  MetricCounter archived_;
  MetricCounter failed_;
  MetricCounter removed_;
  absl::Time enforced_at_ = absl::InfinitePast();  // used by Step() only
  std::map<std::string, absl::Time> asked_at_;     // as this
  std::map<std::string, absl::Time> noted_at_;     // and this
  mutable absl::Mutex mutex_;
  std::map<std::string, Ending> endings_ ABSL_GUARDED_BY(mutex_);
  ArchiveStore::Totals totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_ARCHIVE_ARCHIVER_H_
