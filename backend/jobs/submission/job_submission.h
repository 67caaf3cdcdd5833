// Submits jobs. The record comes first: a job is in the database before Slurm
// is asked for it, so a crash at any point leaves a record that the reconciler
// resolves, never a lost or a duplicated job.
//
//   policy → prepared → record (durable) → submitted → Slurm's id → reconciled
#ifndef CARME_BACKEND_JOBS_SUBMISSION_JOB_SUBMISSION_H_
#define CARME_BACKEND_JOBS_SUBMISSION_JOB_SUBMISSION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/audit/audit_log.h"
#include "backend/environments/environments.h"
#include "backend/identity/session.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/jobs/store/job_store.h"
#include "backend/policy/policy.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe; Submit blocks for one operation of the submitter.
class JobSubmission {
 public:
  // All must outlive this.
  struct Parts {
    Database* database;
    Scheduler* scheduler;
    Submitter* submitter;
    AuditLog* audit;
    const Clock* clock;
    ImageCatalogue* images;
    Environments* environments;  // null: not offered
    Projects* projects;          // null: not offered
    Quotas* quotas;              // null: only the limits of the configuration
    const JobsConfig* config;
    JobStore* store;
    ActiveJobs* active;
    CancelQueue* cancel_queue;
  };
  explicit JobSubmission(const Parts& parts) : parts_(parts) {}

  // The decision that Submit would take.
  Decision Preview(const Session& caller, const JobSpec& spec);
  // The same on the current snapshot: a refusal may rest on older data.
  Decision PreviewAsKnown(const Session& caller, const JobSpec& spec) {
    return PreviewOn(*parts_.scheduler->Snapshot(), caller, spec);
  }

  // The policy's codes; FAILED_PRECONDITION, PERMISSION_DENIED: Slurm or the
  // impersonator refused, with their message; UNAVAILABLE: nothing was
  // submitted and the same key may be tried again. When it is not known whether
  // Slurm has the job, it is returned as SUBMITTING and reconciled. `call` is
  // the request for the audit log. Its entry "admit" is durable, in the
  // transaction of the job's record, before Slurm is asked.
  absl::StatusOr<Job> Submit(const Session& caller, const JobSpec& spec,
                             const std::string& key, const AuditEvent& call);

 private:
  struct Recorded {
    JobStore::Inserted inserted;
    std::unique_ptr<PreparedSubmission> prepared;  // null: it is not fresh
    AuditLog::Ticket entry = 0;
  };

  // Why the requested image is not among `images`; empty: it is. Queries the
  // directory and the database, so it must not be called in a transaction.
  std::string ImageProblem(const Session& caller, const JobSpec& spec,
                           const std::vector<Image>& images);
  absl::StatusOr<RenderedEnvironment> ResolveEnvironment(const Session& caller,
                                                         const JobSpec& spec);
  Quotas::Asker AskerOf(const Session& caller) const;
  // Adds each limit for such a job with its usage. REQUIRES: in the body of a
  // transaction or query.
  absl::Status AddQuotas(const Quotas::Asker& asker, PolicyInput* input);
  // The job that a spec joins; nothing: the caller has no such job.
  std::optional<JoinedJob> FindJoinedJob(const Session& caller,
                                         const JobSpec& spec);
  // REQUIRES: in the body of a transaction.
  absl::StatusOr<Projects::JobSettings> TermsOf(const std::string& project,
                                                Uid uid);
  PolicyInput BuildPolicyInput(const Session& caller, const JobSpec& spec,
                               int jobs_now, const SlurmSnapshot& cluster,
                               const std::vector<Image>& images);
  // A new snapshot to decide again on, where the refusal depends on Slurm's
  // state. Null: it does not, or Slurm does not respond. Blocks.
  SlurmSnapshotPtr RefreshFor(const Decision& refused);
  Decision PreviewOn(const SlurmSnapshot& cluster, const Session& caller,
                     const JobSpec& spec);

  // Records the job and adds it to the active jobs.
  absl::StatusOr<Recorded> RecordActive(const Session& caller,
                                        const JobSpec& spec,
                                        const std::string& key,
                                        const AuditEvent& call);
  // Prepares the submission while the record is made durable; aborts it if
  // that fails.
  absl::StatusOr<Recorded> Record(const Session& caller, const JobSpec& spec,
                                  const std::string& key,
                                  const AuditEvent& call);
  // `decided`: the policy's decision; unchanged if the policy was not asked.
  absl::StatusOr<Recorded> RecordWithSnapshot(
      const SlurmSnapshot& cluster, const Session& caller, const JobSpec& spec,
      const std::string& key, const AuditEvent& call, Decision* decided);
  // Applies the submitter's result to the record.
  absl::StatusOr<Job> ApplyResult(const Job& job,
                                  const absl::StatusOr<SlurmJobId>& answer,
                                  const std::string& request_id);
  absl::StatusOr<Job> OnAccepted(const Job& job, SlurmJobId slurm_job,
                                 const std::string& request_id);
  absl::Status OnRejected(const Job& job, const absl::Status& why,
                          const std::string& request_id);

  const Parts parts_;
  // Held while additional nodes are admitted, until they are active: of two
  // concurrent requests the second must see the first.
  absl::Mutex joining_;
};

// The error for a job in a project where projects are not configured.
absl::Status ProjectsNotOffered();

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_SUBMISSION_JOB_SUBMISSION_H_
