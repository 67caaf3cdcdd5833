// What is said of an interactive job where its apps cannot answer: for the
// pages of the proxy.
#ifndef CARME_BACKEND_JOBS_JOB_STANDING_H_
#define CARME_BACKEND_JOBS_JOB_STANDING_H_

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/job.h"

namespace carme::backend {

// The numbers are carme.v1.JobPhase's.
enum class JobPhase {
  kUnknown = 0,
  kWaits = 1,
  kStarts = 2,
  kRuns = 3,
  kStops = 4,
  kEnded = 5,
};

struct JobStanding {
  JobPhase phase = JobPhase::kUnknown;  // kUnknown: no more is said of it
  std::string reason{};                 // for a person; may be empty
  std::optional<absl::Time> expected_start{};
  std::vector<JobApp> apps{};  // without the copying of data
  friend bool operator==(const JobStanding&, const JobStanding&) = default;
};

// Of a batch job, a companion, one that makes an image: nothing, for nobody
// opens an app in it. Pure.
std::optional<JobStanding> StandingOf(const Job& job);

// Those that are told, of ended jobs the last ones. Not thread-safe.
class Standings {
 public:
  using Changed = std::function<void(const JobId&, const JobStanding&)>;
  // Of ended jobs.
  static constexpr size_t kMostEnded = 1000;
  static constexpr absl::Duration kLongestEnded = absl::Hours(24);

  // Calls `changed` for what is to be told, also of what is forgotten.
  void Set(const JobId& job, const JobStanding& standing, absl::Time now,
           const Changed& changed);
  const std::map<JobId, JobStanding>& all() const { return all_; }

 private:
  std::map<JobId, JobStanding> all_;
  std::deque<std::pair<JobId, absl::Time>> ended_;  // the oldest first
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_JOB_STANDING_H_
