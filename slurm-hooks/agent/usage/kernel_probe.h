// Whether a notebook server has a kernel that computes.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_KERNEL_PROBE_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_KERNEL_PROBE_H_

#include <optional>
#include <string>
#include <string_view>

#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

// Of an HTTP answer to "GET /api/kernels"; nothing: it is none that says so.
// Pure.
std::optional<bool> ParseKernelBusy(std::string_view answer);

// Asks the server at this socket, for some seconds at most; `path` is where it
// has "/api/kernels". Nothing: it does not say.
net::Task<std::optional<bool>> QueryKernelBusy(net::EventLoop& loop,
                                               std::string socket,
                                               std::string host,
                                               std::string path);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_KERNEL_PROBE_H_
