// When nodes whose GPUs are idle are warned about and returned to Slurm. Pure.
#ifndef CARME_BACKEND_JOBS_ACTIVITY_IDLE_NODES_H_
#define CARME_BACKEND_JOBS_ACTIVITY_IDLE_NODES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/activity/gpu_use.h"
#include "backend/jobs/activity/idle_policy.h"
#include "backend/jobs/model/job.h"

namespace carme::backend {

// Of a job, by node: those that it may return.
using IdleNodes = std::map<std::string, IdleState>;

// Nodes of a job with the same step.
struct IdleNodeGroup {
  std::vector<std::string> nodes{};
  std::vector<JobGpu> gpus{};
  absl::Duration idle{};  // of all of them; counted
};

struct IdleNodeSteps {
  IdleNodeGroup warned{};    // now
  IdleNodeGroup returned{};  // now, or at an earlier report
};

// Whether nodes of the job may be returned: not of arrays, and not of linked
// jobs, which know each other's nodes.
bool MayReturnNodes(const Job& job);

// The steps after a report about the GPUs of a job that may return nodes, at
// `now`. The first node, where the batch script runs, stays; nodes that the job
// does not have any more are forgotten.
IdleNodeSteps ApplyNodeReport(const Job& job, const IdleTimes& times,
                              const std::map<std::string, IdleGpus>& report,
                              absl::Time now, IdleNodes* nodes);

// The notice about the nodes that are returned first.
std::optional<JobIdle> NoticeOf(const IdleNodes& nodes);

// What the job shows: what happens first.
std::optional<JobIdle> FirstNotice(const IdleState& use, const IdleState& gpus,
                                   const IdleNodes& nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_ACTIVITY_IDLE_NODES_H_
