// More time for jobs that run. The record comes first here, too:
//
//   limits, quotas → record (durable) → Slurm's own user does it → done
//
// While Slurm does not respond the record waits, also for a restart: then Slurm
// is asked as soon as it responds, until the job has the new walltime, has
// ended, or Slurm refuses. The record keeps the whole walltime, so that asking
// Slurm twice gives the time once.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_EXTENSIONS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_EXTENSIONS_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "backend/jobs/store/extension_table.h"
#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/policy/limits/extension.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// What an extension takes of quotas. Either may be null: nothing is counted.
struct ExtensionQuotas {
  // Called outside of a transaction; what it returns is called in the one that
  // records the extension, and counts it from there on, or refuses in words.
  using InTransaction = std::function<absl::Status(Database&)>;
  std::function<InTransaction(const Session& caller, const Job& job,
                              absl::Duration extra)>
      reserve;
  // In a transaction: Slurm has done it, or will not. The job's record is in
  // its table by then, and what that says counts from now on.
  std::function<absl::Status(Database&, const JobId&)> complete;
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
    FindTemplate find_template;  // null: there are no templates
    ExtensionQuotas quotas;
  };
  explicit Extensions(Parts parts);
  // Waits for the act that is under way.
  ~Extensions();

  // Reads the table, as the first thing after a start.
  absl::Status Load();

  // Durable before Slurm is asked; blocks for one act of the submitter.
  // INVALID_ARGUMENT; PERMISSION_DENIED, RESOURCE_EXHAUSTED: a limit or quota,
  // in words; FAILED_PRECONDITION: it does not run, or Slurm refused;
  // UNAVAILABLE: not recorded. While Slurm does not respond the job is returned
  // with its `pending_extension`, and is extended later.
  // REQUIRES: the job is the caller's.
  absl::StatusOr<Job> Extend(const Session& caller, const JobId& id,
                             absl::Duration by, const std::string& key,
                             const std::string& request_id);

  // How much longer it may become now; 0: not at all, or nobody can tell.
  // Quotas are not asked; nothing blocks.
  absl::Duration ExtendableBy(const Session& caller, const Job& job) const;

  // Until when a job with this end could be made to run at the most, which what
  // is given out for it must outlive.
  absl::Time LatestEnd(const Job& job, absl::Time end) const;

  // After each poll: settles what is not known, and has Slurm asked for what is
  // recorded. Does not block for Slurm.
  void Look(const SlurmSnapshot& snapshot);

 private:
  struct Recorded {
    ExtensionRow row;
    Job job;
    bool done = false;   // an earlier call with this key did it
    bool fresh = false;  // no earlier call has asked Slurm for it
  };
  // UNAVAILABLE: the job's template is not known.
  absl::StatusOr<ExtensionInput> BuildExtensionInput(Role role, const Job& job) const;
  absl::StatusOr<Recorded> Record(const Session& caller, const JobId& id,
                                  absl::Duration by, const std::string& key);
  // Blocks; false: what is known of Slurm is not newer now.
  bool RefreshLimits();
  // In the transaction: asks for nothing that would ask the database, too.
  absl::StatusOr<Recorded> RecordIn(
      Database& db, ExtensionInput input, const JobId& id,
      absl::Duration by, const std::string& key,
      const ExtensionQuotas::InTransaction& quota);
  absl::StatusOr<Job> ApplyResult(const Recorded& recorded,
                             const absl::Status& answer,
                             const std::string& request_id);
  absl::Status MarkDone(const ExtensionRow& row);
  // Takes it back; `why`: it was shown as recorded, and its user is notified.
  absl::Status Revert(const ExtensionRow& row, const std::string& why);
  // The job as it is shown then; nothing: it has ended.
  std::optional<Job> ShowPending(const ExtensionRow& row);
  void Retry(const ExtensionRow& row);
  bool IsRefused(const ExtensionRow& row);
  void Run();
  void ApplyRecorded(const ExtensionRow& row);
  // What it was promised is at an end.
  absl::Status CompleteQuota(Database& db, const JobId& id) const;
  // Blocks until the job's newest state is in the table, so that use which is
  // read from there is not behind. OK for one that has ended.
  absl::Status AwaitRecord(const JobId& id) const;
  bool BeginOperation(const JobId& id);
  // The same for a call with this key: waits for the end of a call with the same
  // one, so that both have the same result. False: another is under way.
  bool BeginCall(const JobId& id, const std::string& key);
  void EndOperation(const JobId& id);

  const Parts parts_;
  absl::Mutex mutex_;
  std::map<JobId, ExtensionRow> open_ ABSL_GUARDED_BY(mutex_);
  std::set<JobId> in_flight_ ABSL_GUARDED_BY(mutex_);
  // Of calls that are.
  std::map<JobId, std::string> keys_in_flight_ ABSL_GUARDED_BY(mutex_);
  std::map<JobId, ExtensionRow> to_retry_ ABSL_GUARDED_BY(mutex_);  // to be asked
  std::map<JobId, absl::Time> tried_at_ ABSL_GUARDED_BY(mutex_);
  // Whose removal from the table failed.
  std::set<int64_t> refused_ ABSL_GUARDED_BY(mutex_);
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the others
};

// OK for a job that can be given more time. FAILED_PRECONDITION: why not.
absl::Status CheckMayBeExtended(const Job& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_EXTENSIONS_H_
