#include "slurm-hooks/agent/usage/gpu_use.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "common/log.h"
#include "slurm-hooks/agent/job/command_output.h"

namespace carme::agent {
namespace {

constexpr int kBusyPercent = 5;
constexpr size_t kMaxOutput = 4096;

}  // namespace

std::optional<bool> ParseGpuBusy(std::string_view output) {
  bool any = false, busy = false;
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(output.data(), output.size()), '\n')) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty()) continue;
    int percent = 0;
    if (!absl::SimpleAtoi(text, &percent)) return std::nullopt;
    any = true;
    busy = busy || percent > kBusyPercent;
  }
  if (!any) return std::nullopt;
  return busy;
}

net::Task<std::optional<bool>> IsGpuBusy(std::optional<double> peak_ratio) {
  if (!peak_ratio) co_return std::nullopt;
  co_return *peak_ratio * 100 > kBusyPercent;
}

net::Task<std::optional<bool>> QueryGpuBusy(
    net::EventLoop& loop, std::vector<std::string> command,
    std::vector<std::string> environment) {
  const absl::StatusOr<std::string> output = co_await RunForOutput(
      loop, std::move(command), std::move(environment), kMaxOutput);
  if (output.ok()) co_return ParseGpuBusy(*output);
  // A command that fails does so each time.
  if (!absl::IsUnavailable(output.status()) &&
      !absl::IsDeadlineExceeded(output.status())) {
    LogWarning("GPU use unknown", {{"error", output.status().ToString()}});
  }
  co_return std::nullopt;
}

}  // namespace carme::agent
