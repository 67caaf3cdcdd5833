// A job of the past, as far as limits and templates are checked against it.
#ifndef CARME_BACKEND_DRY_RUN_PAST_JOB_H_
#define CARME_BACKEND_DRY_RUN_PAST_JOB_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/history/history.h"
#include "backend/identity/session.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/policy/spec/job_spec.h"
#include "common/ids.h"

namespace carme::backend {

struct PastJob {
  JobId id{};
  std::string owner{};
  Uid owner_uid = kNoUid;
  JobSpec spec{};  // the final one, without script and arguments
  absl::Time created_at{};
  std::optional<absl::Time> started_at{};  // of the last run
  std::optional<absl::Time> ended_at{};    // absent: active
  // The GPU time of the ended tasks of an array.
  absl::Duration array_gpu_time{};
};

struct PastJobs {
  std::vector<PastJob> jobs{};  // by submission
  // Every job that was active at this time or later is among them.
  absl::Time complete_since{};
  bool truncated = false;  // older jobs were left out
};

// The active jobs and those that have ended since a time: the newest `max`.
// Jobs that Slurm refused are left out. PERMISSION_DENIED: the caller may not
// see the jobs of all users; the database's errors.
absl::StatusOr<PastJobs> ReadPastJobs(const Session& caller, History* history,
                                      ActiveJobs* active, absl::Time since,
                                      size_t max);

}  // namespace carme::backend

#endif  // CARME_BACKEND_DRY_RUN_PAST_JOB_H_
