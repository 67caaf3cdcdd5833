// What a user, a project or its member used when each job of the past was
// submitted.
#ifndef CARME_BACKEND_DRY_RUN_USAGE_REPLAY_H_
#define CARME_BACKEND_DRY_RUN_USAGE_REPLAY_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/time/time.h"
#include "backend/dry_run/past_job.h"
#include "backend/policy/limits/quota.h"
#include "backend/quotas/usage_table.h"

namespace carme::backend {

// The usage of one subject. Pure. Call Before() for each of its jobs in the
// order of their submission.
class UsageReplay {
 public:
  // `days`: what all jobs of the subject have used until now; `jobs`: all of
  // its jobs that Before() is called with.
  UsageReplay(std::map<int64_t, UsageDay> days,
              const std::vector<const PastJob*>& jobs);

  // The usage at the submission of the job, and counts it from then on. The job
  // must outlive this.
  QuotaUsage Before(const PastJob& job);

 private:
  void End(const PastJob& job);

  // What has been used before, and by jobs that are not replayed.
  std::map<int64_t, UsageDay> days_;
  std::vector<const PastJob*> active_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_DRY_RUN_USAGE_REPLAY_H_
