// Determines whether the GPUs of a job compute, by their samples or by a
// command of the site such as nvidia-smi.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_GPU_USE_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_GPU_USE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

// Parses the output: a whole number of percent for each GPU, one a line;
// nullopt if it is malformed or empty. Pure.
std::optional<bool> ParseGpuBusy(std::string_view output);

// Of the largest utilisation since the last check, as the command's; nullopt if
// unknown.
net::Task<std::optional<bool>> IsGpuBusy(std::optional<double> peak_ratio);

// Runs the command as the job's user for at most ten seconds. Returns nullopt
// if unknown.
net::Task<std::optional<bool>> QueryGpuBusy(
    net::EventLoop& loop, std::vector<std::string> command,
    std::vector<std::string> environment);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_GPU_USE_H_
