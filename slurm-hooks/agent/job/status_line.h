// The first line of an HTTP answer.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_STATUS_LINE_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_STATUS_LINE_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace carme::agent {

inline constexpr size_t kStatusLineBytes = 12;  // "HTTP/1.1 200"

// The status code of an answer that begins so; nothing when it is none.
std::optional<int> ReadStatusCode(std::string_view answer);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_STATUS_LINE_H_
