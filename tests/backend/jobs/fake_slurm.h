// Slurm and the impersonator as values that a test moves by hand: what a
// submission meets, what the watcher sees. The real ones are in the server
// tests; this one can fail at each step of a submission, and dies with the
// process only where a test sets it.
#ifndef CARME_TESTS_BACKEND_JOBS_FAKE_SLURM_H_
#define CARME_TESTS_BACKEND_JOBS_FAKE_SLURM_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "common/clock.h"

namespace carme::backend {

// A job with a comment that names `job`; a running one is on a1.
SlurmJob SlurmJobOf(SlurmJobId id, const JobId& job, Uid uid, SlurmState state);

class FakeSlurm : public Scheduler, public Submitter {
 public:
  // What the next submissions meet.
  enum class SlurmOutcome {
    kAccepted,
    kRefused,            // by slurmctld
    kForbidden,          // by the impersonator
    kUnavailable,        // nothing was submitted
    kResponseLost,       // submitted, but the response is lost
    kRequestLost,        // not submitted, and no response
    kProcessExits,       // before anything was submitted
    kProcessExitsAfter,  // once it was submitted
  };

  // `file` keeps the jobs, so that they outlive a process; empty: in memory.
  explicit FakeSlurm(const Clock* clock, std::string file = "");

  // The watcher's part.
  SlurmSnapshotPtr Snapshot() const override;
  void OnPoll(std::function<void(const SlurmSnapshotPtr&)> listener) override;
  void RefreshSoon() override;
  void RefreshJob(SlurmJobId job) override;
  void TrackUntilEnd(SlurmJobId job) override;
  // One poll; asks now unless `asked_at` is set.
  void Poll();
  void PollAskedAt(absl::Time asked_at);
  // Asks for one job alone, now.
  void PollOne(SlurmJobId job);

  // The submitter's part.
  std::unique_ptr<PreparedSubmission> Prepare(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) override;
  absl::Status CancelAsUser(const PosixUser& user, SlurmJobId slurm_job,
                            const JobId& job,
                            const std::string& request_id) override;
  // Holds and releases only.
  absl::Status UpdateAsUser(const PosixUser& user, SlurmJobId slurm_job,
                            const JobId& job, const JobChange& change,
                            const std::string& request_id) override;
  absl::Status ExtendForUser(const PosixUser& user, SlurmJobId slurm_job,
                             const JobId& job, absl::Duration walltime,
                             const std::string& request_id) override;
  absl::Status ReturnNodesAsUser(const PosixUser& user, SlurmJobId slurm_job,
                                 const JobId& job,
                                 const std::vector<std::string>& nodes,
                                 const std::string& request_id) override;
  absl::StatusOr<SlurmStartEstimate> EstimateStartAsUser(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) override;
  absl::StatusOr<LogText> ReadLogAsUser(const PosixUser& user,
                                        const LogPart& part,
                                        const std::string& request_id) override;

  // What a test does to it.
  void set_outcome(SlurmOutcome outcome);
  // The result of EstimateStartAsUser; may block. Not set: "now, on a1".
  using Foreseer = std::function<absl::StatusOr<SlurmStartEstimate>(
      const Submission& submission)>;
  void set_foreseer(Foreseer foreseer);
  // Changes the cluster from the next poll on.
  void set_cluster(SlurmSnapshot cluster);
  // The log of every job.
  void set_log(const std::string& log);
  // Called in each ReadLogAsUser before it reads; may block.
  using AtRead = std::function<void(const PosixUser& user)>;
  void set_at_read(AtRead at_read);
  // The error of reading a log, instead.
  void set_log_error(const absl::Status& error);
  void set_reachable(bool reachable);
  // Called in Prepare, on its thread. Set it while no job is submitted.
  void set_at_prepare(std::function<void()> at_prepare);
  // Called in SubmitAsUser and ExtendForUser before they return.
  void set_meanwhile(std::function<void()> meanwhile);
  // Called in the next CancelAsUser only, after its result was determined.
  void set_at_next_cancel(std::function<void()> meanwhile);
  // Polls at once when a refresh is requested.
  void set_prompt(bool prompt);
  void Put(const SlurmJob& job);
  void Change(SlurmJobId id, const std::function<void(SlurmJob&)>& edit);
  // Jobs that the snapshot has to contain, whatever their comment.
  std::set<SlurmJobId> Tracked() const;
  void Track(SlurmJobId job) override;
  void TrackOnly(std::set<SlurmJobId> jobs) override;
  void Run(SlurmJobId id);
  void End(SlurmJobId id, SlurmState state, int exit_code = 0);
  void DeleteJob(SlurmJobId id);
  std::vector<SlurmJob> Jobs() const;
  std::vector<SlurmJobId> Cancelled() const;
  SlurmJobId OnlyJob() const;  // fails the test unless there is exactly one

  // The Slurm account of a submitted job; empty: the user's default.
  std::string AccountOf(SlurmJobId id) const;

  // The jobs that were requested by RefreshJob, and tracked to their end.
  std::vector<SlurmJobId> RefreshedJobs() const;
  std::vector<SlurmJobId> Followed() const;

  int Updates() const;   // requested holds and releases
  int Returns() const;   // requested returns of nodes
  int Extended() const;  // applied extensions

  int Withdrawn() const;  // prepared, and dropped without SubmitAsUser()

 private:
  class Prepared;
  absl::StatusOr<SlurmJobId> Submit(const PosixUser& user,
                                    const Submission& submission);
  SlurmJobId Accept(const PosixUser& user, const Submission& submission);
  void Load();
  // Writes the job to the file, for later processes.
  void Keep(const SlurmJob& job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  const std::string file_;
  mutable absl::Mutex mutex_;
  SlurmOutcome outcome_ ABSL_GUARDED_BY(mutex_) = SlurmOutcome::kAccepted;
  Foreseer foreseer_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> at_next_cancel_ ABSL_GUARDED_BY(mutex_);
  int updates_ ABSL_GUARDED_BY(mutex_) = 0;
  int returns_ ABSL_GUARDED_BY(mutex_) = 0;
  SlurmSnapshot cluster_ ABSL_GUARDED_BY(mutex_);
  absl::Status log_error_ ABSL_GUARDED_BY(mutex_);
  std::string log_ ABSL_GUARDED_BY(mutex_);
  AtRead at_read_ ABSL_GUARDED_BY(mutex_);
  bool prompt_ ABSL_GUARDED_BY(mutex_) = false;
  bool reachable_ ABSL_GUARDED_BY(mutex_) = true;
  std::map<SlurmJobId, SlurmJob> jobs_ ABSL_GUARDED_BY(mutex_);
  std::map<SlurmJobId, std::string> accounts_ ABSL_GUARDED_BY(mutex_);
  std::vector<SlurmJobId> refreshed_ ABSL_GUARDED_BY(mutex_);
  std::vector<SlurmJobId> followed_ ABSL_GUARDED_BY(mutex_);
  std::vector<SlurmJobId> cancelled_ ABSL_GUARDED_BY(mutex_);
  std::set<SlurmJobId> tracked_ ABSL_GUARDED_BY(mutex_);
  int aborted_ ABSL_GUARDED_BY(mutex_) = 0;
  int extended_ ABSL_GUARDED_BY(mutex_) = 0;
  SlurmSnapshotPtr snapshot_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> at_prepare_;
  std::function<void()> meanwhile_;
  std::function<void(const SlurmSnapshotPtr&)> listener_;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_JOBS_FAKE_SLURM_H_
