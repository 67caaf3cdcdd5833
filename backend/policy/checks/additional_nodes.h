// Checks a job that adds its nodes to another job. Pure functions.
#ifndef CARME_BACKEND_POLICY_CHECKS_ADDITIONAL_NODES_H_
#define CARME_BACKEND_POLICY_CHECKS_ADDITIONAL_NODES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// The job that a spec names in `linked_to`, in its current state.
struct JoinedJob {
  JobSpec spec{};
  bool ready = false;
  std::optional<absl::Duration> left{};  // absent: it has no end
  std::vector<std::string> nodes{};      // including those of linked jobs
  int64_t gpus = 0;                      // including those of linked jobs
  bool another_waits = false;            // for nodes, or for its agent
};

// Fills in the values that the spec takes from that job, and returns every
// violation. `joined` is absent if the user has no such job.
std::vector<Violation> JoinOther(const std::optional<JoinedJob>& joined,
                                 JobSpec* spec);

// Whether the walltime fits into the time that the other job has left.
std::vector<Violation> CheckLeft(const JoinedJob& joined, const JobSpec& spec);

// Removes the nodes of the job from `nodes`, so that no node is used twice.
// Returns their names.
std::vector<std::string> RemoveJoinedNodes(
    const JoinedJob& joined, std::vector<const SlurmNode*>* nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_ADDITIONAL_NODES_H_
