// Runs the administrator's tools (scontrol, munge, getent, nft, systemctl) and
// Carme's own programs, and returns what they print.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_HOST_TOOL_RUNNER_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_HOST_TOOL_RUNNER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::carmectl {

struct ToolResult {
  int exit_code = 0;  // 128 + the signal that ended it
  std::string output;
  std::string error;  // standard error, without the last newline
  bool ok() const { return exit_code == 0; }
};

struct ToolCall {
  std::vector<std::string> arguments;  // the tool first
  std::string input{};
  std::vector<std::string> environment{};  // "NAME=value"
};

// Thread-safe.
class ToolRunner {
 public:
  // Tools are searched in these directories only, in this order.
  explicit ToolRunner(std::vector<std::string> directories)
      : directories_(std::move(directories)) {}

  // The path of the tool; empty: not installed.
  std::string Find(const std::string& tool) const;

  // The environment is PATH, LC_ALL=C, TZ=UTC and what the call adds.
  // NOT_FOUND: not installed; DEADLINE_EXCEEDED: did not end in time and was
  // killed. Output beyond 8 MiB is dropped.
  absl::StatusOr<ToolResult> Run(
      const ToolCall& call, absl::Duration timeout = absl::Seconds(20)) const;

 private:
  const std::vector<std::string> directories_;
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_HOST_TOOL_RUNNER_H_
