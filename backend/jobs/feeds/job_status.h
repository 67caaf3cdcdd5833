// What is said of an interactive job where its apps cannot answer: for the
// pages of the proxy.
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

// The numbers are carme.v1.JobState's.
enum class JobPhase {
  kUnknown = 0,
  kWaits = 2,
  kStarts = 3,
  kRuns = 4,
  kStops = 5,
  kEnded = 6,
};

struct JobStatus {
  JobPhase phase = JobPhase::kUnknown;  // kUnknown: no more is said of it
  std::string reason{};                 // for a person; may be empty
  std::optional<absl::Time> expected_start{};
  std::vector<JobApp> apps{};  // without the copying of data
  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

// Of a batch job, a companion, one that makes an image: nothing, for nobody
// opens an app in it. Pure.
std::optional<JobStatus> JobStatusOf(const Job& job);

// Those that are told, of ended jobs the last ones. Not thread-safe.
class JobStatuses {
 public:
  using Changed = std::function<void(const JobId&, const JobStatus&)>;
  // Of ended jobs.
  static constexpr size_t kMaxEnded = 1000;
  static constexpr absl::Duration kLongestEnded = absl::Hours(24);

  // Calls `changed` for what is to be told, also of what is forgotten.
  void Set(const JobId& job, const JobStatus& standing, absl::Time now,
           const Changed& changed);
  const std::map<JobId, JobStatus>& all() const { return all_; }

 private:
  std::map<JobId, JobStatus> all_;
  std::deque<std::pair<JobId, absl::Time>> ended_;  // the oldest first
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_FEEDS_JOB_STATUS_H_
