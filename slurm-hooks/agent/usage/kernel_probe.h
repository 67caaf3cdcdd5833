// Asks a notebook server whether a kernel is computing.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_KERNEL_PROBE_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_KERNEL_PROBE_H_

#include <optional>
#include <string>
#include <string_view>

#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

// Parses an HTTP response to "GET /api/kernels"; nullopt if it is not such a
// response. Pure.
std::optional<bool> ParseKernelBusy(std::string_view answer);

// Queries the server at this socket for at most some seconds; `path` is the
// path of "/api/kernels" there. Returns nullopt if unknown.
net::Task<std::optional<bool>> QueryKernelBusy(net::EventLoop& loop,
                                               std::string socket,
                                               std::string host,
                                               std::string path);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_KERNEL_PROBE_H_
