// The life of Carme's jobs. The record comes first: a job is in the table
// before Slurm is asked for it, so that a crash at any point leaves one that
// is found again, never one that is lost or doubled.
//
//   policy → prepared → record (durable) → submitted → Slurm's id → reconciled
#ifndef CARME_BACKEND_JOBS_JOBS_H_
#define CARME_BACKEND_JOBS_JOBS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/audit/audit_log.h"
#include "backend/environments/environments.h"
#include "backend/identity/session.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/lifecycle/accounted_ends.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/lifecycle/end_warnings.h"
#include "backend/jobs/lifecycle/extensions.h"
#include "backend/jobs/lifecycle/holds.h"
#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/feeds/job_feed.h"
#include "backend/jobs/store/job_store.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/jobs/lifecycle/failure_log.h"
#include "backend/jobs/lifecycle/limit_enforcer.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/lifecycle/poll_notifier.h"
#include "backend/jobs/lifecycle/reconciler.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/jobs/submission/job_submission.h"
#include "backend/policy/policy.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/accounting/slurm_usage.h"
#include "backend/slurm/submitter.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe; Submit and Stop block for one act of the submitter. Errors are
// what a client may see; their detail is in the log under the request id.
class Jobs {
 public:
  // All but the config must outlive the jobs.
  struct Parts {
    Database* database;
    Scheduler* scheduler;  // not started yet: Jobs listens to its polls
    Submitter* submitter;
    Routes* routes;
    AuditLog* audit;
    const Clock* clock;
    ImageCatalogue* images;
    Environments* environments = nullptr;  // null: none are offered
    Projects* projects = nullptr;          // null: likewise
    Quotas* quotas = nullptr;         // null: the configuration's limits alone
    FindTemplate find_template = {};  // null: there are none
    ExtensionQuotas extension_quotas = {};
    StorageReader* storage = nullptr;  // null: not asked when a job fails
    SlurmUsage* accounting = nullptr;  // null: slurmdbd is not asked
  };
  // Reads the table.
  static absl::StatusOr<std::unique_ptr<Jobs>> Open(const Parts& parts,
                                                    const JobsConfig& config);

  // As JobSubmission.
  Decision Preview(const Session& caller, const JobSpec& spec) {
    return submission_.Preview(caller, spec);
  }
  Decision PreviewAsKnown(const Session& caller, const JobSpec& spec) {
    return submission_.PreviewAsKnown(caller, spec);
  }
  absl::StatusOr<Job> Submit(const Session& caller, const JobSpec& spec,
                             const std::string& key, const AuditEvent& call) {
    return submission_.Submit(caller, spec, key, call);
  }

  // Newest first: those that live and the last that ended.
  absl::StatusOr<std::vector<Job>> List(const Session& caller,
                                        const std::string& request_id);
  // NOT_FOUND also for somebody else's.
  absl::StatusOr<Job> Get(const Session& caller, const JobId& id,
                          const std::string& request_id);
  // For administrators. NOT_FOUND; UNAVAILABLE.
  absl::StatusOr<Job> GetOfAnyOwner(const JobId& id,
                                    const std::string& request_id);
  // Durable before Slurm is asked. OK when it has ended, and when Slurm does not
  // respond: then it is cancelled once Slurm does. NOT_FOUND; UNAVAILABLE: not
  // recorded; and the impersonator's refusals.
  absl::StatusOr<Job> Stop(const Session& caller, const JobId& id,
                           const std::string& request_id);

  // As Extensions, Holds and IdleMonitor say. NOT_FOUND also for somebody else's.
  absl::StatusOr<Job> Extend(const Session& caller, const JobId& id,
                             absl::Duration by, const std::string& key,
                             const std::string& request_id);
  absl::StatusOr<Job> Hold(const Session& caller, const JobId& id,
                           const std::string& request_id);
  absl::StatusOr<Job> Release(const Session& caller, const JobId& id,
                              const std::string& request_id);
  absl::StatusOr<Job> KeepAlive(const Session& caller, const JobId& id,
                           const std::string& request_id);

  // A piece of what the job, or one of its apps, has written, read as its
  // owner; `offset` counts from the end when it is negative. Of an array each
  // task has its own. Blocks for one act of the submitter. NOT_FOUND: somebody
  // else's, no such task, or nothing was written;
  // INVALID_ARGUMENT; UNAVAILABLE.
  absl::StatusOr<LogText> ReadLog(const Session& caller, const JobId& id,
                                  const std::string& app, int64_t offset,
                                  const std::string& request_id,
                                  std::optional<uint32_t> task = {});

  // What a job in an environment gets; NOT_FOUND: nothing was kept for it.
  absl::StatusOr<JobEnvironment> EnvironmentOf(const JobId& id) {
    return store_.FindEnvironment(id);
  }

  // Whether a job that Slurm has started may begin. FAILED_PRECONDITION: its
  // project does not run any more, or not for its owner, which is then its
  // reason; UNAVAILABLE.
  absl::Status MayBegin(const Job& job);

  // Forgets what ended long ago. Call now and then.
  void Sweep();

  const JobsConfig& config() const { return config_; }
  ImageCatalogue& images() { return *parts_.images; }
  Quotas* quotas() { return parts_.quotas; }
  JobFeed& feed() { return feed_; }
  ActiveJobs& active() { return active_; }
  Extensions& extensions() { return extensions_; }
  IdleMonitor& idle() { return idle_; }
  LimitEnforcer& limit_enforcer() { return limit_enforcer_; }
  PollNotifier& polls() { return polls_; }

 private:
  Jobs(const Parts& parts, const JobsConfig& config);
  // Whatever becomes of their comments, the jobs of live records are looked at.
  void TrackJobs();
  // The job is STOPPING; `before`: as it was, unless it was STOPPING already.
  // Nothing: it has ended.
  std::optional<ActiveJobs::Changed> MarkStopping(const Job& job,
                                                std::optional<Job>* before);
  // Slurm has not taken the stop: the reconciler cancels the job once Slurm
  // responds, of this process or of the next one.
  void KeepStop(const Job& job);
  // Slurm has accepted the stop: no other stop that was refused reverts it.
  void ConfirmStop(const Job& job);
  // The stop was refused: the job is as it was, unless another stop was not.
  void UnmarkStopping(const Job& before);
  // Waits for the record of the stop; `accepted`: Slurm has taken it.
  absl::StatusOr<Job> AwaitStop(const Job& job,
                                const std::optional<ActiveJobs::Changed>& marked,
                                bool accepted, const std::string& request_id);

  const Parts parts_;
  const JobsConfig config_;
  JobStore store_;
  JobFeed feed_;
  ActiveJobs active_;
  CancelQueue cancel_queue_;
  Extensions extensions_;
  Holds holds_;
  IdleMonitor idle_;
  EndWarnings end_warnings_;
  FailureLog failure_log_;
  LimitEnforcer limit_enforcer_;
  std::unique_ptr<AccountedEnds> accounted_ends_;  // null: no slurmdbd
  Reconciler reconciler_;
  JobSubmission submission_;
  PollNotifier polls_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_JOBS_H_
