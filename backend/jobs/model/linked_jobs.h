// A job and the jobs that add nodes to it ("linked jobs"): programs see all
// their nodes as one set.
#ifndef CARME_BACKEND_JOBS_MODEL_LINKED_JOBS_H_
#define CARME_BACKEND_JOBS_MODEL_LINKED_JOBS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/snapshot.h"

namespace carme::v1 {
class LinkedJob;
}  // namespace carme::v1

namespace carme::backend {

// An agent's checked report about the nodes of its job.
using LinkedJob = std::shared_ptr<const v1::LinkedJob>;

// The linked jobs as sent to an agent, starting with the job that was joined.
// No node is in two of them.
struct LinkedJobs {
  bool over = false;  // the job that this one joined has ended
  std::vector<LinkedJob> jobs;
  friend bool operator==(const LinkedJobs&, const LinkedJobs&) = default;
};

inline bool IsLinkedJob(const Job& job) { return !job.spec.linked_to.empty(); }
// The job has nodes.
inline bool IsRunning(const Job& job) {
  return job.state == v1::JOB_STATE_STARTING ||
         job.state == v1::JOB_STATE_READY;
}

// The report without nodes that the job does not have any more; the same
// pointer if there are none, null if no node is left.
LinkedJob WithoutReturnedNodes(const LinkedJob& report, const Job& job);

// INVALID_ARGUMENT: malformed, or not the nodes that Slurm allocated to the
// job; UNAVAILABLE: a node's name cannot be resolved. May block for that.
absl::StatusOr<LinkedJob> CheckLinkedJob(const v1::LinkedJob& reported,
                                         const Job& job,
                                         const SlurmSnapshot& cluster);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_LINKED_JOBS_H_
