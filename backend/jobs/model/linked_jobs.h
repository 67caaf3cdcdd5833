// A job and its companions: whose nodes are one set to the programs in them.
#ifndef CARME_BACKEND_JOBS_MODEL_LINKED_JOBS_H_
#define CARME_BACKEND_JOBS_MODEL_LINKED_JOBS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/snapshot.h"

namespace carme::v1 {
class JobMember;
}  // namespace carme::v1

namespace carme::backend {

// What an agent said of its job's nodes, checked.
using LinkedJob = std::shared_ptr<const v1::JobMember>;

// What the agent of a job is told. The job that was joined is the first; no
// node is in two members.
struct LinkedJobs {
  bool over = false;  // the job that this one joined is over
  std::vector<LinkedJob> members;
  friend bool operator==(const LinkedJobs&, const LinkedJobs&) = default;
};

inline bool IsLinkedJob(const Job& job) {
  return !job.spec.companion_of.empty();
}
// It has nodes, and keeps them.
inline bool IsRunning(const Job& job) {
  return job.state == JobState::kStarting || job.state == JobState::kReady;
}

// INVALID_ARGUMENT: not of its form, or not the nodes that Slurm gave this job;
// UNAVAILABLE: a node's name cannot be resolved. May block for that.
absl::StatusOr<LinkedJob> CheckLinkedJob(const v1::JobMember& said, const Job& job,
                                   const SlurmSnapshot& cluster);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_LINKED_JOBS_H_
