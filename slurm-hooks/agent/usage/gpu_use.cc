#include "slurm-hooks/agent/usage/gpu_use.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "common/log.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::agent {
namespace {

constexpr int kBusyPercent = 5;
constexpr absl::Duration kPollInterval = absl::Milliseconds(50);
constexpr int kMaxPolls = 200;  // ten seconds
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
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) co_return std::nullopt;
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const UniqueFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  node::Launch launch;
  launch.arguments = std::move(command);
  launch.environment = std::move(environment);
  launch.input = nothing.get();
  launch.output = writer.get();
  launch.error = nothing.get();
  auto child = node::ChildProcess::Start(launch);
  writer.reset();
  if (!child.ok()) {
    LogWarning("GPU use unknown", {{"error", child.status().ToString()}});
    co_return std::nullopt;
  }
  std::optional<node::ProcessEnd> end;
  for (int polls = 0; polls < kMaxPolls && !end; ++polls) {
    if (co_await Pause(loop, kPollInterval) != 0) break;
    end = child->TakeEnd();
  }
  if (!end) {
    child->Signal(SIGKILL);
    // Not waited for: the next check reaps it, or Slurm does.
    for (int polls = 0; polls < kMaxPolls && !child->TakeEnd(); ++polls) {
      if (co_await Pause(loop, kPollInterval) != 0) break;
    }
    co_return std::nullopt;
  }
  if (end->exit_code != 0) co_return std::nullopt;
  std::string output(kMaxOutput, '\0');
  const ssize_t got = read(reader.get(), output.data(), output.size());
  if (got <= 0) co_return std::nullopt;
  output.resize(static_cast<size_t>(got));
  co_return ParseGpuBusy(output);
}

}  // namespace carme::agent
