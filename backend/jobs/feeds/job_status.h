// The status of an interactive job for what the proxy shows in place of its
// apps and on their pages.
#ifndef CARME_BACKEND_JOBS_FEEDS_JOB_STATUS_H_
#define CARME_BACKEND_JOBS_FEEDS_JOB_STATUS_H_

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"

namespace carme::backend {

struct JobStatus {
  // kSubmitting is reported as kPending. Nothing: the job is no longer
  // reported.
  std::optional<JobState> state{};
  std::string reason{};  // for the user; may be empty
  std::optional<absl::Time> expected_start{};
  std::vector<JobApp> apps{};           // without staging
  std::optional<absl::Time> ends_at{};  // of a running job: of its walltime
  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

// Not for batch jobs, linked jobs and jobs that build an image, which proxies
// know nothing of.
bool HasAppToOpen(const Job& job);

// Nothing for jobs without an app to open. Pure.
std::optional<JobStatus> JobStatusOf(const Job& job);

// The reported statuses: of all active jobs and of the last ended ones. Not
// thread-safe.
class JobStatuses {
 public:
  using OnChange = std::function<void(const JobId&, const JobStatus&)>;
  // Limits for ended jobs.
  static constexpr size_t kMaxEnded = 1000;
  static constexpr absl::Duration kMaxEndedAge = absl::Hours(24);

  // Calls `on_change` for the job if its status changed, and for each evicted
  // job, with a status without a state.
  void Set(const JobId& job, const JobStatus& status, absl::Time now,
           const OnChange& on_change);
  const std::map<JobId, JobStatus>& all() const { return all_; }

 private:
  std::map<JobId, JobStatus> all_;
  std::deque<std::pair<JobId, absl::Time>> ended_;  // oldest first
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_FEEDS_JOB_STATUS_H_
