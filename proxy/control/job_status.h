// The status of jobs as the backend reports it, for error pages and the overlay
// of apps. It never decides access.
#ifndef CARME_PROXY_CONTROL_JOB_STATUS_H_
#define CARME_PROXY_CONTROL_JOB_STATUS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace carme::v1 {
class JobStatus;
enum JobAppState : int;
enum JobState : int;
}  // namespace carme::v1

namespace carme::proxy {

struct RouteUpdate;

struct AppStatus {
  std::string app;
  v1::JobAppState state{};
  std::string detail{};
};

// Immutable, shared by the loops.
struct JobStatusEntry {
  v1::JobState state{};
  std::string reason{};
  std::optional<absl::Time> expected_start{};
  std::vector<AppStatus> apps{};
  std::optional<absl::Time> ends_at{};  // of a running job

  const AppStatus* Find(std::string_view app) const;
};
using JobStatusEntryPtr = std::shared_ptr<const JobStatusEntry>;

// Null: the backend no longer reports this job. Texts are truncated and have no
// control characters.
JobStatusEntryPtr ToJobStatus(const v1::JobStatus& message);

// The job statuses of one loop. Not thread-safe: used on the loop's thread.
class JobStatusTable {
 public:
  // A snapshot of the backend replaces all statuses.
  void Apply(const RouteUpdate& update);
  // Null: unknown.
  const JobStatusEntry* Find(const JobId& job) const;

 private:
  absl::flat_hash_map<std::string, JobStatusEntryPtr> job_statuses_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONTROL_JOB_STATUS_H_
