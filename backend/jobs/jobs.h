// The jobs of Carme: reading them and acting on them. JobSubmission adds jobs,
// the classes of lifecycle/ change them; this class builds and connects them.
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
#include "backend/jobs/feeds/job_feed.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/jobs/lifecycle/accounted_ends.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/lifecycle/end_warnings.h"
#include "backend/jobs/lifecycle/extensions.h"
#include "backend/jobs/lifecycle/failure_log.h"
#include "backend/jobs/lifecycle/holds.h"
#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/jobs/lifecycle/limit_enforcer.h"
#include "backend/jobs/lifecycle/node_returns.h"
#include "backend/jobs/lifecycle/reconciler.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/jobs/store/job_store.h"
#include "backend/jobs/submission/job_submission.h"
#include "backend/maintenance/maintenance.h"
#include "backend/node_history/node_history.h"
#include "backend/policy/policy.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/accounting/slurm_usage.h"
#include "backend/slurm/poll_notifier.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "backend/store/database.h"
#include "backend/templates/template_lookup.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe; Submit and Stop block for one operation of the submitter. Errors
// are safe to return to a client; details are logged with the request id.
class Jobs {
 public:
  // All but the config must outlive this.
  struct Parts {
    Database* database;
    Scheduler* scheduler;  // not started yet: Jobs subscribes to its polls
    Submitter* submitter;
    Routes* routes;
    AuditLog* audit;
    const Clock* clock;
    ImageCatalogue* images;
    Environments* environments = nullptr;  // null: not offered
    Projects* projects = nullptr;          // null: not offered
    Quotas* quotas = nullptr;  // null: only the limits of the configuration
    const TemplateLookup* templates = nullptr;  // null: there are none
    StorageReader* storage =
        nullptr;  // null: storage is not checked when a job fails
    SlurmUsage* accounting = nullptr;          // null: slurmdbd is not queried
    const Maintenance* maintenance = nullptr;  // null: never
    NodeHistory* node_history = nullptr;       // null: no node is avoided
  };
  // Loads the active jobs from the database.
  static absl::StatusOr<std::unique_ptr<Jobs>> Open(const Parts& parts,
                                                    const JobsConfig& config);

  // As JobSubmission.
  Decision Preview(const Session& caller, const JobSpec& spec) {
    return submission_.Preview(caller, spec);
  }
  Decision PreviewAsKnown(const Session& caller, const JobSpec& spec) {
    return submission_.PreviewAsKnown(caller, spec);
  }
  // The policy of submissions with the templates, limits and usage of another
  // database, such as an overlay. Both must outlive the result.
  SubmissionPolicy PolicyOn(Database* database, Quotas* quotas);
  SubmissionPolicy Policy() { return PolicyOn(parts_.database, parts_.quotas); }
  absl::StatusOr<Job> Submit(const Session& caller, const JobSpec& spec,
                             const std::string& key, const AuditEvent& call) {
    return submission_.Submit(caller, spec, key, call);
  }
  absl::StatusOr<Job> Resubmit(const Session& caller, const JobSpec& spec,
                               const std::string& key, const AuditEvent& call,
                               int number) {
    return submission_.Resubmit(caller, spec, key, call, number);
  }

  // Newest first: the active jobs and the last ended ones.
  absl::StatusOr<std::vector<Job>> List(const Session& caller,
                                        const std::string& request_id);
  // NOT_FOUND also for a job of another user.
  absl::StatusOr<Job> Get(const Session& caller, const JobId& id,
                          const std::string& request_id);
  // For administrators. NOT_FOUND; UNAVAILABLE.
  absl::StatusOr<Job> GetOfAnyOwner(const JobId& id,
                                    const std::string& request_id);
  // The stop is durable before Slurm is asked. OK if the job has ended, and if
  // Slurm does not respond: then it is cancelled once Slurm does. NOT_FOUND;
  // UNAVAILABLE: not recorded; and the impersonator's refusals.
  absl::StatusOr<Job> Stop(const Session& caller, const JobId& id,
                           const std::string& request_id);

  // See Extensions, Holds and IdleMonitor. NOT_FOUND also for a job of another
  // user.
  absl::StatusOr<Job> Extend(const Session& caller, const JobId& id,
                             absl::Duration by, const std::string& key,
                             const std::string& request_id);
  absl::StatusOr<Job> Hold(const Session& caller, const JobId& id,
                           const std::string& request_id);
  absl::StatusOr<Job> Release(const Session& caller, const JobId& id,
                              const std::string& request_id);
  absl::StatusOr<Job> KeepAlive(const Session& caller, const JobId& id,
                                const std::string& request_id);

  // A part of the output of the job or of one of its apps, read as its owner; a
  // negative `offset` counts from the end. Each task of an array has its own
  // log. Blocks for one operation of the submitter. NOT_FOUND: a job of another
  // user, no such task, or no output; INVALID_ARGUMENT; UNAVAILABLE.
  absl::StatusOr<LogText> ReadLog(const Session& caller, const JobId& id,
                                  const std::string& app, int64_t offset,
                                  const std::string& request_id,
                                  std::optional<uint32_t> task = {});

  // The environment that the job was submitted with; NOT_FOUND: none.
  absl::StatusOr<RenderedEnvironment> EnvironmentOf(const JobId& id) {
    return store_.FindEnvironment(id);
  }

  // Whether a job that Slurm has started may begin. FAILED_PRECONDITION: its
  // project is not active, or the owner is no longer a member; the job is
  // stopped with that reason. UNAVAILABLE.
  absl::Status MayBegin(const Job& job);

  // Deletes jobs that ended long ago. Call periodically.
  void Sweep();

  const JobsConfig& config() const { return config_; }
  ImageCatalogue& images() { return *parts_.images; }
  Quotas* quotas() { return parts_.quotas; }
  JobStore& store() { return store_; }
  JobFeed& feed() { return feed_; }
  ActiveJobs& active() { return active_; }
  Extensions& extensions() { return extensions_; }
  IdleMonitor& idle() { return idle_; }
  LimitEnforcer& limit_enforcer() { return limit_enforcer_; }
  PollNotifier& polls() { return polls_; }

 private:
  Jobs(const Parts& parts, const JobsConfig& config);
  // Jobs of active records are polled whatever their comment in Slurm is.
  void TrackJobs();
  // Sets the job to STOPPING. `before`: its former state, unless it was
  // STOPPING already. Nothing: it has ended.
  std::optional<ActiveJobs::Changed> MarkStopping(const Job& job,
                                                  std::optional<Job>* before);
  // Slurm has not accepted the stop: the reconciler cancels the job once Slurm
  // responds, also after a restart.
  void DeferStop(const Job& job);
  // Slurm has accepted the stop: no other, rejected stop reverts it.
  void ConfirmStop(const Job& job);
  // The stop was rejected: restores the job, unless another stop is in effect.
  void UnmarkStopping(const Job& before);
  // Waits for the record of the stop; `accepted`: by Slurm.
  absl::StatusOr<Job> AwaitStop(
      const Job& job, const std::optional<ActiveJobs::Changed>& marked,
      bool accepted, const std::string& request_id);

  const Parts parts_;
  const JobsConfig config_;
  JobStore store_;
  JobFeed feed_;
  ActiveJobs active_;
  CancelQueue cancel_queue_;
  NodeReturns node_returns_;
  const std::unique_ptr<ExtensionQuotas> extension_quotas_;  // null: no quotas
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
