// Whether the GPUs of a job compute: what a command of the site's says, such as
// nvidia-smi's.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_GPU_USE_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_GPU_USE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

// A line for each GPU, a whole number of percent; nothing: it says something
// else, or nothing. Pure.
std::optional<bool> ParseGpuBusy(std::string_view output);

// Runs it, as the job's user, for ten seconds at most. Nothing: it cannot be
// told.
net::Task<std::optional<bool>> QueryGpuBusy(
    net::EventLoop& loop, std::vector<std::string> command,
    std::vector<std::string> environment);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_GPU_USE_H_
