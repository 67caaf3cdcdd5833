// Submits jobs, one step after the other:
//
//   Admit    decides and records the job as SUBMITTING with its usage, in one
//            transaction; starts the preparation and adds the job to the active
//   Commit   once the audit entry is durable, lets the impersonator submit
//   Record…  accepted: Slurm's id; rejected: the end; unknown: the reconciler
//            decides
//
// The record comes first: a job is in the database before Slurm is asked for
// it, so a crash between any two steps leaves a record that the reconciler
// resolves, never a lost or a duplicated job. No step does socket I/O in a
// transaction: the preparation runs on another thread (submission_preparer.h).
#ifndef CARME_BACKEND_JOBS_SUBMISSION_JOB_SUBMISSION_H_
#define CARME_BACKEND_JOBS_SUBMISSION_JOB_SUBMISSION_H_

#include <string>

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
#include "backend/jobs/submission/submission_policy.h"
#include "backend/jobs/submission/submission_preparer.h"
#include "backend/maintenance/maintenance.h"
#include "backend/node_history/node_history.h"
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
    const Maintenance* maintenance = nullptr;  // null: never
    NodeHistory* node_history = nullptr;       // null: no node is avoided
  };
  explicit JobSubmission(const Parts& parts);

  // The decision that Submit would take.
  Decision Preview(const Session& caller, const JobSpec& spec) {
    return policy_.Preview(caller, spec);
  }
  // The same on the current snapshot: a refusal may rest on older data.
  Decision PreviewAsKnown(const Session& caller, const JobSpec& spec) {
    return policy_.PreviewAsKnown(caller, spec);
  }

  // The policy's codes; FAILED_PRECONDITION, PERMISSION_DENIED: Slurm or the
  // impersonator refused, with their message; UNAVAILABLE: nothing was
  // submitted and the same key may be tried again. When it is not known whether
  // Slurm has the job, it is returned as SUBMITTING and reconciled. `call` is
  // the request for the audit log. Its entry "admit" is durable, in the
  // transaction of the job's record, before Slurm is asked.
  absl::StatusOr<Job> Submit(const Session& caller, const JobSpec& spec,
                             const std::string& key, const AuditEvent& call) {
    return Submit({caller, spec, key, call, 0});
  }
  // The same for a job in place of one that ended: the `number`th in a row.
  // `key` identifies the request without the spec.
  absl::StatusOr<Job> Resubmit(const Session& caller, const JobSpec& spec,
                               const std::string& key, const AuditEvent& call,
                               int number) {
    return Submit({caller, spec, key, call, number});
  }

 private:
  struct Request {
    const Session& caller;
    const JobSpec& spec;
    const std::string& key;
    const AuditEvent& call;
    int resubmissions;  // before this one, in a row
  };
  struct Admission {
    Job job;
    bool is_fresh = false;  // false: the job of an earlier, equal request
    SubmissionPreparer::Preparation preparation;  // valid if fresh
    AuditLog::Ticket entry = 0;
  };

  absl::StatusOr<Job> Submit(const Request& request);
  // The steps.
  absl::StatusOr<Admission> Admit(const Request& request);
  absl::StatusOr<SlurmJobId> Commit(Admission& admission);
  absl::StatusOr<Job> RecordResult(const Job& job,
                                   const absl::StatusOr<SlurmJobId>& result,
                                   const std::string& request_id);

  // Decides, and decides again on new data if the refusal may be outdated.
  absl::StatusOr<Admission> Reserve(const Request& request);
  // Decides, records the job with its usage and starts its preparation.
  // `decided`: the policy's decision; unchanged if the policy was not asked.
  absl::StatusOr<Admission> ReserveOn(SlurmSnapshotPtr cluster,
                                      const Request& request,
                                      Decision* decided);
  Job RecordAccepted(const Job& job, SlurmJobId slurm_job,
                     const std::string& request_id);
  // Returns the error for the client.
  absl::Status RecordRejected(const Job& job, const absl::Status& why,
                              const std::string& request_id);
  Job RecordUnknown(const Job& job, const absl::Status& why,
                    const std::string& request_id);

  const Parts parts_;
  SubmissionPolicy policy_;
  SubmissionPreparer preparer_;
  // Held while additional nodes are admitted, until they are active: of two
  // concurrent requests the second must see the first.
  absl::Mutex joining_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_SUBMISSION_JOB_SUBMISSION_H_
