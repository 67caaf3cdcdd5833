// Extends the walltime of running jobs. The record comes first:
//   limits, quotas → record (durable) → SlurmUser updates the job → done
// While Slurm does not respond the record waits, also for a restart. Slurm is
// asked again until the job has the new walltime, has ended, or Slurm refuses.
// The record has the total walltime, so a repeated update does not extend the
// job twice.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_EXTENSIONS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_EXTENSIONS_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/jobs/store/extension_table.h"
#include "backend/policy/limits/extension.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "backend/store/database.h"
#include "backend/templates/template_lookup.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

// The quotas that extensions use. Thread-safe.
class ExtensionQuotas {
 public:
  virtual ~ExtensionQuotas() = default;
  // Called outside of a transaction. The result is called in the transaction
  // that records the extension: it counts the extension, or refuses it with a
  // message for the user.
  using InTransaction = std::function<absl::Status(Database&)>;
  virtual InTransaction Reserve(const Session& caller, const Job& job,
                                absl::Duration extra) = 0;
  // Called in a transaction when Slurm has applied or refused the extension.
  // From then on the record of the job counts, which is already written.
  virtual absl::Status Complete(Database& db, const JobId& job) = 0;
};

// Thread-safe.
class Extensions {
 public:
  // All must outlive this.
  struct Parts {
    Database* database;
    ActiveJobs* active;
    Scheduler* scheduler;
    Submitter* submitter;
    const Clock* clock;
    const JobsConfig* config;
    const TemplateLookup* templates;  // null: there are no templates
    ExtensionQuotas* quotas;          // null: extensions use no quota
  };
  // The destructor waits for the running operation.
  explicit Extensions(Parts parts);

  // Loads the open extensions. Call first after a start.
  absl::Status Load();

  // Durable before Slurm is asked; blocks for one operation of the submitter.
  // INVALID_ARGUMENT; PERMISSION_DENIED, RESOURCE_EXHAUSTED: a limit or quota;
  // FAILED_PRECONDITION: the job is not running, or Slurm refused; UNAVAILABLE:
  // not recorded. While Slurm does not respond the job is returned with its
  // `pending_extension`, and is extended later. REQUIRES: the caller owns the
  // job.
  absl::StatusOr<Job> Extend(const Session& caller, const JobId& id,
                             absl::Duration by, const std::string& key,
                             const std::string& request_id);

  // By how much the job can be extended now; 0: not at all, or not known.
  // Ignores quotas; does not block.
  absl::Duration ExtendableBy(const Session& caller, const Job& job) const;

  // The latest end that a job with this end can be extended to: credentials of
  // the job must be valid until then.
  absl::Time LatestEnd(const Job& job, absl::Time end) const;

  // Call after each poll: completes extensions that Slurm has applied, and
  // retries open ones. Does not wait for Slurm.
  void OnPoll(const SlurmSnapshot& snapshot);

 private:
  struct Recorded {
    ExtensionRow row;
    Job job;
    bool done = false;   // an earlier call with this key applied it
    bool fresh = false;  // no earlier call has asked Slurm for it
  };
  // UNAVAILABLE: the job's template is not known.
  absl::StatusOr<ExtensionInput> BuildExtensionInput(Role role,
                                                     const Job& job) const;
  absl::StatusOr<Recorded> Record(const Session& caller, const JobId& id,
                                  absl::Duration by, const std::string& key);
  // Blocks; false: there is no newer snapshot.
  bool RefreshLimits();
  // Runs in the transaction: calls nothing that queries the database itself.
  absl::StatusOr<Recorded> RecordIn(
      Database& db, ExtensionInput input, const JobId& id, absl::Duration by,
      const std::string& key, const ExtensionQuotas::InTransaction& quota);
  absl::StatusOr<Job> ApplyResult(const Recorded& recorded,
                                  const absl::Status& answer,
                                  const std::string& request_id);
  absl::Status MarkDone(const ExtensionRow& row);
  // Reverts the record; `why`: not empty if the user saw it as recorded, and is
  // then notified.
  absl::Status Revert(const ExtensionRow& row, const std::string& why);
  // The job with its pending extension; nothing: it has ended.
  std::optional<Job> ShowPending(const ExtensionRow& row);
  void Retry(const ExtensionRow& row);
  bool IsRefused(const ExtensionRow& row);
  absl::Duration RetryNext();
  void ApplyRecorded(const ExtensionRow& row);
  // Releases the reserved quota.
  absl::Status CompleteQuota(Database& db, const JobId& id) const;
  // Blocks until the newest state of the job is in the database, so that its
  // usage there is up to date. OK for a job that has ended.
  absl::Status AwaitRecord(const JobId& id) const;
  bool BeginOperation(const JobId& id);
  // BeginOperation for a call with this key: waits for a call with the same
  // key, so that both have the same result. False: another one is running.
  bool BeginCall(const JobId& id, const std::string& key);
  void EndOperation(const JobId& id);

  const Parts parts_;
  absl::Mutex mutex_;
  std::map<JobId, ExtensionRow> open_ ABSL_GUARDED_BY(mutex_);
  std::set<JobId> in_flight_ ABSL_GUARDED_BY(mutex_);
  // The keys of the calls in flight.
  std::map<JobId, std::string> keys_in_flight_ ABSL_GUARDED_BY(mutex_);
  std::map<JobId, ExtensionRow> to_retry_
      ABSL_GUARDED_BY(mutex_);  // retried after the next poll
  std::map<JobId, absl::Time> tried_at_ ABSL_GUARDED_BY(mutex_);
  // Rejected extensions that could not be deleted yet.
  std::set<int64_t> refused_ ABSL_GUARDED_BY(mutex_);
  BackgroundThread thread_{"extensions", [this] { return RetryNext(); }};
};

// OK: the job can be extended. FAILED_PRECONDITION: why not.
absl::Status CheckMayBeExtended(const Job& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_EXTENSIONS_H_
