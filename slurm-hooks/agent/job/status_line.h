// The first line of an HTTP response.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_STATUS_LINE_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_STATUS_LINE_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace carme::agent {

inline constexpr size_t kStatusLineBytes = 12;  // "HTTP/1.1 200"

// Returns the status code of a response that begins with `answer`; nullopt if
// it is malformed.
std::optional<int> ReadStatusCode(std::string_view answer);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_STATUS_LINE_H_
