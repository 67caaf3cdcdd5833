#include "slurm-hooks/agent/job/status_line.h"

namespace carme::agent {

std::optional<int> ReadStatusCode(std::string_view answer) {
  if (answer.size() < kStatusLineBytes || !answer.starts_with("HTTP/1.") ||
      answer[8] != ' ') {
    return std::nullopt;
  }
  int code = 0;
  for (const char digit : answer.substr(9, 3)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    code = 10 * code + (digit - '0');
  }
  return code;
}

}  // namespace carme::agent
