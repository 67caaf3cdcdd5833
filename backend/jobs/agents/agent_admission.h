// Decides whether a caller is the agent of one of Carme's jobs, and applies the
// reports of admitted agents. There are three results: yes, no
// (PERMISSION_DENIED), error (UNAVAILABLE); the messages are for the log, not
// for the caller.
#ifndef CARME_BACKEND_JOBS_AGENTS_AGENT_ADMISSION_H_
#define CARME_BACKEND_JOBS_AGENTS_AGENT_ADMISSION_H_

#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/linked_jobs.h"
#include "backend/slurm/poll_notifier.h"
#include "backend/slurm/scheduler.h"
#include "common/clock.h"
#include "common/display_text.h"
#include "common/ids.h"
#include "common/message.h"

namespace carme::backend {

// The claim of a caller, and what is proved of it.
struct AgentClaim {
  SlurmJobId slurm_job;      // claimed
  Uid uid;                   // proved by MUNGE
  std::string peer_address;  // observed
};

// Thread-safe; every call may block for a few seconds.
class AgentAdmission {
 public:
  struct Parts {
    ActiveJobs* active;
    Scheduler* scheduler;
    PollNotifier* polls;
    const Clock* clock;
    // How long a call may wait for a new poll of Slurm.
    absl::Duration poll_timeout = absl::Seconds(3);
  };
  explicit AgentAdmission(const Parts& parts) : parts_(parts) {}

  // Admits the caller if Slurm runs this job for this uid on the node with this
  // address, and the record belongs to that user and has this Slurm job or none
  // yet: an agent may start before the result of its own submission is
  // recorded. Polls Slurm, for at most `poll_timeout`, if the job is not known
  // to be running; at most four calls of one uid may wait at a time.
  absl::StatusOr<Job> Admit(const AgentClaim& claim);

  // The agent of this job listens at `endpoint`; its app does not respond yet.
  // Durable.
  absl::StatusOr<Job> Register(const JobId& id, const AgentEndpoint& endpoint);
  // Details in reports of agents are not trusted (reported_detail.h).
  //
  // The state of an app; once the job's own app responds, the job is ready.
  // Durable. FAILED_PRECONDITION: not registered. For a task of an array only
  // failures are kept.
  absl::Status ReportApp(const JobId& id, const JobApp& app,
                         std::optional<uint32_t> task = {});
  // For the registration of a linked job. FAILED_PRECONDITION: the job that it
  // joins has ended, or already has one of its nodes.
  absl::Status CheckJoins(const Job& job) const;
  // The nodes of the linked job were added: it is ready. Durable.
  // FAILED_PRECONDITION: not a linked job, or not registered.
  absl::Status ReportJoined(const JobId& id);
  // The batch script was started: the job is ready. Durable.
  // FAILED_PRECONDITION: not a batch job, or not registered.
  absl::Status ReportRunning(const JobId& id);
  // The agent's report about the nodes of its job, for linked jobs. Polls Slurm
  // as Admit does if the nodes differ from the record's: the agent may know
  // first that the job has returned nodes. Errors: see CheckLinkedJob.
  absl::Status SetLinkedJob(const Job& job, const v1::LinkedJob& reported);
  // The agent's report which nodes of its job can be returned to Slurm.
  void SetReturnableNodes(const Job& job, std::set<std::string> nodes);
  std::optional<LinkedJobs> LinkedJobsOf(const JobId& id) const {
    return parts_.active->LinkedJobsOf(id);
  }
  // The job's work, or that of an array task, has ended; `detail` is shown to
  // the user.
  absl::Status ReportEnded(const JobId& id, const DisplayText& detail,
                           std::optional<uint32_t> task = {});
  // The stream of the agent has ended: the job may have, too.
  void Left(const JobId& id) const;
  // Carme's job that Slurm runs as `slurm_job` on this node; nothing: there is
  // none. With `wait` it polls Slurm, for at most `poll_timeout`, if no such
  // job is known yet, as during a Prolog; at most four of these calls wait at
  // once.
  std::optional<Job> JobOnNode(SlurmJobId slurm_job, const std::string& node,
                               bool wait);
  // The index of an array task; nothing for another job.
  std::optional<uint32_t> TaskOf(SlurmJobId slurm_job) const;

  // Whether this uid has that job, in any state: the last report of an agent
  // often arrives while Slurm is already ending the job.
  bool IsOwnersJob(const AgentClaim& claim) const;
  // That job, in any state; PERMISSION_DENIED: there is none.
  absl::StatusOr<Job> OwnersJob(const AgentClaim& claim) const;
  bool IsLive(const JobId& job) const { return parts_.active->Has(job); }
  // Whether the job runs and has no registered agent although it needs one, as
  // after a restore of the database. False for arrays and batch jobs.
  bool LacksAgent(const JobId& job) const;

 private:
  // The job as Slurm runs it, and the snapshot that shows it; blocks.
  absl::StatusOr<SlurmJob> AwaitRunning(const AgentClaim& claim,
                                        SlurmSnapshotPtr* seen);
  // The record of the job once it has these nodes, or the newest one.
  Job AwaitNodes(const Job& job, const v1::LinkedJob& reported);
  bool BeginWait(Uid uid);
  void EndWait(Uid uid);
  absl::StatusOr<Job> Adopt(const SlurmJob& slurm, absl::Time asked_at);
  absl::Status BecomeReady(const JobId& id, bool (*may)(const Job&),
                           const ErrorTemplate& otherwise);
  absl::StatusOr<Job> ChangeDurably(const JobId& id,
                                    const ActiveJobs::Edit& edit);

  const Parts parts_;
  absl::Mutex mutex_;
  std::map<Uid, int> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_AGENT_ADMISSION_H_
