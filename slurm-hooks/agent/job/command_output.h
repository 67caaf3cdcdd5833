// Runs a program of the node and reads what it prints.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_COMMAND_OUTPUT_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_COMMAND_OUTPUT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

// Runs the program as the job's user, for at most ten seconds, and returns the
// first `max_bytes` of its standard output. Must be called on the thread that
// runs `loop`. DEADLINE_EXCEEDED: it was killed; UNAVAILABLE: its exit code is
// not 0, with the last line that it wrote to standard error; CANCELLED: the
// loop is stopping; errors of execve(2).
net::Task<absl::StatusOr<std::string>> RunForOutput(
    net::EventLoop& loop, std::vector<std::string> command,
    std::vector<std::string> environment, size_t max_bytes);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_COMMAND_OUTPUT_H_
