// When nodes whose GPUs are idle are warned about and returned to Slurm. Pure.
#ifndef CARME_BACKEND_JOBS_ACTIVITY_IDLE_NODES_H_
#define CARME_BACKEND_JOBS_ACTIVITY_IDLE_NODES_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/activity/gpu_use.h"
#include "backend/jobs/activity/idle_policy.h"
#include "backend/jobs/model/job.h"

namespace carme::backend {

// A node that the job may return.
struct IdleNode {
  IdleState state{};
  int requests = 0;       // of this return to Slurm
  bool accepted = false;  // the last one was
  bool refused = false;   // it stays until its GPUs are used again
};

// Of a job, by node.
using IdleNodes = std::map<std::string, IdleNode>;

// Nodes of a job with the same step.
struct IdleNodeGroup {
  std::map<std::string, absl::Time> nodes{};  // when each was warned about
  std::vector<JobGpu> gpus{};
  absl::Duration idle{};  // of all of them; counted
};

struct IdleNodeSteps {
  IdleNodeGroup warned{};    // now
  IdleNodeGroup due{};       // to be returned, now or since an earlier report
  IdleNodeGroup returned{};  // that the job does not have any more
};

// Whether nodes of the job may be returned: not of arrays, and not of linked
// jobs, which know each other's nodes.
bool MayReturnNodes(const Job& job);

struct IdleNodeReport {
  std::map<std::string, IdleGpus> gpus;  // of the job's nodes
  std::set<std::string> returnable;      // as the job's agent reports
  // The user was just warned that the whole job is stopped: warnings about its
  // nodes wait until that is withdrawn.
  bool is_job_warned = false;
};

// The steps after a report about the GPUs of a job that may return nodes, at
// `now`. The first node, where the batch script runs, stays.
IdleNodeSteps ApplyNodeReport(const Job& job, const IdleTimes& times,
                              const IdleNodeReport& report, absl::Time now,
                              IdleNodes* nodes);

// A request for these nodes ended; Slurm may have returned them also if it is
// not `accepted`. They are requested again while the job has them, but not for
// ever.
void NoteRequested(const IdleNodeGroup& group, bool accepted, IdleNodes* nodes);
// Slurm refused to return them.
void NoteRefused(const IdleNodeGroup& group, IdleNodes* nodes);

// The notice about the nodes that are returned first.
std::optional<JobIdle> NoticeOf(const IdleNodes& nodes);

// What the job shows: what happens first.
std::optional<JobIdle> FirstNotice(const IdleState& use, const IdleState& gpus,
                                   const IdleNodes& nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_ACTIVITY_IDLE_NODES_H_
