// What Slurm says about the nodes of a running job: which ones it still has,
// and where tasks of a step have ended.
#ifndef CARME_SLURM_HOOKS_AGENT_MULTI_NODE_SLURM_ALLOCATION_H_
#define CARME_SLURM_HOOKS_AGENT_MULTI_NODE_SLURM_ALLOCATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/job/job_facts.h"

namespace carme::agent {

// The nodes of `job` in the output of squeue, whose lines are "JOB STATE LIST";
// empty: the job does not run any more. UNAVAILABLE: the job is not there, or
// its list is malformed.
absl::StatusOr<std::vector<std::string>> ParseAllocation(
    std::string_view output, std::string_view job);

// The nodes in a message of srun about tasks that ended, such as
// "srun: error: n[2-3]: tasks 1-2: Killed"; empty: another message.
std::vector<std::string> NodesOfEndedTasks(std::string_view line);

// Asks Slurm for the nodes that the job of this process has now. Errors of
// RunForOutput and ParseAllocation.
net::Task<absl::StatusOr<std::vector<std::string>>> QueryAllocation(
    net::EventLoop& loop, const JobFacts& facts);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_MULTI_NODE_SLURM_ALLOCATION_H_
