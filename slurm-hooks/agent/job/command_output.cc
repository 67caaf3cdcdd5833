#include "slurm-hooks/agent/job/command_output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/agent/job/messages.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(50);
constexpr int kMaxPolls = 200;  // ten seconds
constexpr size_t kMaxLine = 200;

absl::StatusOr<UniqueFd> NewMemory(const char* name) {
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC));
  if (!fd.valid()) return ErrnoError(errno, "make a file in memory");
  return fd;
}

absl::Status TooSlow(const std::string& program) {
  return MakePlainError(agent_job_messages::kCommandTooSlow,
                        {{"program", program}});
}

absl::Status Failed(const std::string& program, int exit_code,
                    const std::string& line) {
  return MakePlainError(
      agent_job_messages::kCommandFailed,
      {{"program", program}, {"exit_code", exit_code}, {"line", line}});
}

}  // namespace

net::Task<absl::StatusOr<std::string>> RunForOutput(
    net::EventLoop& loop, std::vector<std::string> command,
    std::vector<std::string> environment, size_t max_bytes) {
  const std::string program = command.empty() ? "" : command[0];
  const absl::StatusOr<UniqueFd> output = NewMemory("output");
  if (!output.ok()) co_return output.status();
  const absl::StatusOr<UniqueFd> errors = NewMemory("errors");
  if (!errors.ok()) co_return errors.status();
  const UniqueFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  node::Launch launch;
  launch.arguments = std::move(command);
  launch.environment = std::move(environment);
  launch.input = nothing.get();
  launch.output = output->get();
  launch.error = errors->get();
  auto child = node::ChildProcess::Start(launch);
  if (!child.ok()) co_return child.status();
  std::optional<node::ProcessEnd> end;
  int paused = 0;
  for (int polls = 0; polls < kMaxPolls && !end; ++polls) {
    paused = co_await Pause(loop, kPollInterval);
    if (paused != 0) break;
    end = child->TakeEnd();
  }
  if (!end) {
    child->Signal(SIGKILL);
    // Not waited for longer: Slurm reaps it with the job.
    for (int polls = 0; polls < kMaxPolls && paused == 0; ++polls) {
      if (child->TakeEnd().has_value()) break;
      paused = co_await Pause(loop, kPollInterval);
    }
    if (paused != 0) co_return absl::CancelledError(program);
    co_return TooSlow(program);
  }
  if (end->exit_code != 0) {
    co_return Failed(program, end->exit_code,
                     ReadLastLine(errors->get(), kMaxLine));
  }
  std::string text(max_bytes, '\0');
  const ssize_t got = pread(output->get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  co_return text;
}

}  // namespace carme::agent
