// Enforces limits for jobs that were changed in Slurm (`scontrol update`):
// checks what was checked at submission, and acts on jobs that exceed a limit.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_LIMIT_ENFORCER_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_LIMIT_ENFORCER_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/audit/audit_log.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "backend/store/database.h"
#include "backend/templates/template_lookup.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"
#include "common/display_text.h"

namespace carme::backend {

// Whether `after` has more resources than `before`, or another partition, QOS,
// account, reservation or GPU type. A value that Slurm filled in is no change.
bool HasGrown(const Job& before, const Job& after);
// Whether its user may have extended it: Slurm lets users raise the time limit
// of a pending job, and only operators that of a running one.
bool IsLonger(const Job& before, const Job& after);

// Thread-safe. A thread queries the directory and the database, and acts; the
// polling thread must not wait. Only jobs that have grown are checked: a limit
// that is lowered later does not affect running jobs.
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
    Projects* projects;               // null: there are none
    Quotas* quotas;                   // null: quotas are not checked
    const TemplateLookup* templates;  // null: there are no templates
    ExcessConfig rule;
    absl::Duration check_every = absl::Seconds(10);
  };
  // The destructor waits for the running check.
  explicit LimitEnforcer(Parts parts) : parts_(std::move(parts)) {}

  // The job has grown; `is_longer`: the time limit is checked, too. Does not
  // block.
  void Check(const JobId& id, bool is_longer);
  // Slurm enlarged the job at submission: the user is notified if that exceeds
  // a quota, and nothing else is done. Does not block.
  void CheckSubmitted(const JobId& id);
  // Checks jobs that exceed a limit again. Call at each poll; does not block.
  void OnPoll();
  // The limits that the job exceeds. UNAVAILABLE: not known now. Blocks.
  absl::StatusOr<std::vector<Violation>> ExcessOf(const Job& job);

 private:
  absl::Duration CheckNext();
  // How often a hold has failed, and when it is retried.
  struct HoldTries {
    int failed = 0;
    absl::Time again_at = absl::InfinitePast();
    std::string result{};  // the last recorded result
  };

  void CheckNow(const JobId& id);
  void CheckSubmittedNow(const Job& job);
  // Whether a part of the job in Slurm may still start.
  bool MayStart(const Job& job);
  // Whether the user, and not an operator, may have set its time limit.
  bool ChecksTime(const Job& job);
  void Clear(const Job& job);
  void Act(const Job& job);
  void Hold(const Job& job);
  void Cancel(const Job& job);
  void Notify(const Job& job);
  void Post(const Job& job, const DisplayText& text);
  void Record(const Job& job, const std::string& result);
  // For the job in the partition, QOS and account of its spec.
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
  absl::Time checked_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  BackgroundThread thread_{"limit-enforcer", [this] { return CheckNext(); }};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_LIMIT_ENFORCER_H_
