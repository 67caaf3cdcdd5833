// Decides whether a caller is the agent of one of Carme's jobs, and keeps what
// an admitted agent says. Three answers: yes, no (PERMISSION_DENIED), could not
// tell (UNAVAILABLE); the texts are for the log, not for the caller.
#ifndef CARME_BACKEND_JOBS_AGENTS_AGENT_ADMISSION_H_
#define CARME_BACKEND_JOBS_AGENTS_AGENT_ADMISSION_H_

#include <map>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/model/linked_jobs.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/lifecycle/poll_notifier.h"
#include "backend/slurm/scheduler.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// What a caller claims, and what is proved of it already.
struct AgentClaim {
  SlurmJobId slurm_job;      // claimed
  Uid uid;                   // proved by MUNGE
  std::string peer_address;  // seen
};

// Thread-safe; every call may block for a few seconds.
class AgentAdmission {
 public:
  struct Parts {
    ActiveJobs* active;
    Scheduler* scheduler;
    PollNotifier* polls;
    const Clock* clock;
    // How long a call may wait for a new look at Slurm.
    absl::Duration longest_look = absl::Seconds(3);
  };
  explicit AgentAdmission(const Parts& parts) : parts_(parts) {}

  // Yes when Slurm runs this job for this uid on the node with this address,
  // and its record is that user's and has this Slurm job or none yet: an agent
  // may be there before the answer to its own submission was recorded. Looks
  // at Slurm anew, for at most `longest_look`, when the job is not seen
  // running; of one uid four calls may wait so at a time.
  absl::StatusOr<Job> Admit(const AgentClaim& claim);

  // An agent of this job listens at `endpoint`; its app does not answer yet.
  // Durable.
  absl::StatusOr<Job> Register(const JobId& id, const AgentEndpoint& endpoint);
  // What an app does; when the job's own answers, the job is ready. Durable.
  // FAILED_PRECONDITION: never registered. Of an array's task only what failed
  // is kept.
  absl::Status ReportApp(const JobId& id, const JobApp& app,
                         std::optional<uint32_t> task = {});
  // For a companion that registers. FAILED_PRECONDITION: the job that it joins
  // is over, or has one of its nodes already.
  absl::Status CheckJoins(const Job& job) const;
  // Its nodes are among those of the job that it joined: it is ready. Durable.
  // FAILED_PRECONDITION: it is no companion, or never registered.
  absl::Status ReportJoined(const JobId& id);
  // What a batch job is to run has been started: it is ready. Durable.
  // FAILED_PRECONDITION: it is none, or never registered.
  absl::Status ReportRunning(const JobId& id);
  // What the agent says of the job's nodes, for its companions. As CheckMember.
  absl::Status SetLinkedJob(const Job& job, const v1::JobMember& said);
  std::optional<LinkedJobs> LinkedJobsOf(const JobId& id) const {
    return parts_.active->LinkedJobsOf(id);
  }
  // The job's work is over, or that of an array's task; `detail` is for its
  // user.
  absl::Status ReportEnded(const JobId& id, const std::string& detail,
                           std::optional<uint32_t> task = {});
  // Its agent's stream is over: the job may be, too.
  void Left(const JobId& id) const;
  // Which task of an array it is; nothing of another job.
  std::optional<uint32_t> TaskOf(SlurmJobId slurm_job) const;

  // Whether this uid has that job here, in whatever state: its agent's last
  // words often come when Slurm is ending the job already.
  bool IsOwnersJob(const AgentClaim& claim) const;
  // That job, of whatever state; PERMISSION_DENIED when there is none.
  absl::StatusOr<Job> OwnersJob(const AgentClaim& claim) const;
  bool IsLive(const JobId& job) const { return parts_.active->Has(job); }

 private:
  // The job as it is seen running, and in what; blocks.
  absl::StatusOr<SlurmJob> AwaitRunning(const AgentClaim& claim,
                                        SlurmSnapshotPtr* seen);
  bool BeginWait(Uid uid);
  void EndWait(Uid uid);
  absl::StatusOr<Job> Adopt(const SlurmJob& slurm, absl::Time asked_at);
  absl::Status BecomeReady(const JobId& id, bool (*may)(const Job&),
                           const char* otherwise);
  absl::StatusOr<Job> ChangeDurably(const JobId& id,
                                    const ActiveJobs::Edit& edit);

  const Parts parts_;
  absl::Mutex mutex_;
  std::map<Uid, int> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_AGENT_ADMISSION_H_
