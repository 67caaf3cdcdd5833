// Holds jobs that were changed in Slurm (`scontrol update`) against the limits
// that were checked when they were submitted, and acts on those that exceed one.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_LIMIT_ENFORCER_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_LIMIT_ENFORCER_H_

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/audit/audit_log.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Whether `after` has more of something than `before`, or is somewhere else: in
// another partition, QOS, account or reservation, or on another type of GPU.
// What was left open and is filled in by Slurm is no change.
bool HasGrown(const Job& before, const Job& after);
// Whether its user may have made it longer: Slurm lets users raise the time
// limit of a job that waits, and only its operators that of one that runs.
bool IsLonger(const Job& before, const Job& after);

// Thread-safe. One thread asks the directory and the database, and acts: the
// watcher of Slurm must not wait. Only jobs that have grown are checked, so that
// a limit that is lowered later touches no job that runs.
class LimitEnforcer {
 public:
  // All must outlive this.
  struct Parts {
    ActiveJobs* active;
    Database* database;
    Scheduler* scheduler;
    Submitter* submitter;
    CancelQueue* cancel_queue;
    AuditLog* audit;
    const Clock* clock;
    Projects* projects;  // null: there are none
    Quotas* quotas;      // null: quotas are not checked
    FindTemplate find_template;
    ExcessConfig rule;
    absl::Duration check_every = absl::Seconds(10);
  };
  explicit LimitEnforcer(Parts parts);
  // Waits for the check that is under way.
  ~LimitEnforcer();

  // The job has grown, or IsLonger(): then its time limit is checked, too. Does
  // not block.
  void Check(const JobId& id, bool is_longer);
  // Slurm made the job larger when it was submitted: its user is notified where
  // that exceeds a quota, and nothing else is done. Does not block.
  void CheckSubmitted(const JobId& id);
  // Jobs that exceed a limit are checked again. For each look at Slurm; does
  // not block.
  void Look();
  // What the job exceeds. UNAVAILABLE: that cannot be found out now. Blocks.
  absl::StatusOr<std::vector<Violation>> ExcessOf(const Job& job);

 private:
  void Run();
  // How often a hold has failed, and when it is tried again.
  struct HoldTries {
    int failed = 0;
    absl::Time again_at = absl::InfinitePast();
    std::string result{};  // the last that was recorded
  };

  void CheckNow(const JobId& id);
  void CheckSubmittedNow(const Job& job);
  // Whether a part of it in Slurm may start.
  bool MayStart(const Job& job);
  // Whether the user, and not an operator, may have set its time limit.
  bool ChecksTime(const Job& job);
  void Clear(const Job& job);
  void Act(const Job& job);
  void Hold(const Job& job);
  void Cancel(const Job& job);
  void Notify(const Job& job);
  void Post(const Job& job, const std::string& text);
  void Record(const Job& job, const std::string& result);
  // Of the job in the partition, QOS and account that its spec has.
  absl::Status AddTerms(const Job& job, const std::string& project_account,
                        std::vector<Violation>* violations);
  absl::Status AddTemplate(const Job& job, std::string* account,
                           std::vector<Violation>* violations);
  absl::Status AddQuotas(const Job& job, std::vector<Violation>* violations);

  const Parts parts_;
  absl::Mutex mutex_;
  std::set<JobId> wanted_ ABSL_GUARDED_BY(mutex_);
  std::set<JobId> submitted_ ABSL_GUARDED_BY(mutex_);
  std::set<JobId> longer_ ABSL_GUARDED_BY(mutex_);
  std::map<JobId, HoldTries> holds_ ABSL_GUARDED_BY(mutex_);
  absl::Time looked_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_LIMIT_ENFORCER_H_
