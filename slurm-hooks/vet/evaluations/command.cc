#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"
#include "slurm-hooks/vet/evaluations/program_output.h"

namespace carme::vet {
namespace {

constexpr size_t kMaxOutput = 64 * 1024;
constexpr size_t kMaxShown = 160;

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > 2 * kMaxOutput) text.erase(0, text.size() - kMaxOutput);
  }
}

// The last line that is not empty, for a message.
std::string LastLine(const std::string& text) {
  std::string last;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const auto trimmed = absl::StripAsciiWhitespace(line);
    if (!trimmed.empty()) last = std::string(trimmed);
  }
  return Readable(last, kMaxShown);
}

}  // namespace

absl::StatusOr<ProgramOutput> RunProgram(const Texts& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  Texts environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.emplace_back(*entry);
  }
  char* const cwd = getcwd(nullptr, 0);
  const std::string directory = cwd == nullptr ? "/" : cwd;
  std::free(cwd);
  const UniqueFd input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSIGN_OR_RETURN(node::ChildProcess child,
                   node::ChildProcess::Start({.arguments = arguments,
                                              .environment = environment,
                                              .directory = directory,
                                              .umask = 022,
                                              .input = input.get(),
                                              .output = writer.get(),
                                              .error = writer.get()}));
  writer.reset();
  ProgramOutput output;
  output.text = ReadAll(reader.get());
  int status = 0;
  while (waitpid(child.pid(), &status, 0) < 0 && errno == EINTR) continue;
  output.end = node::EndOf(status);
  return output;
}

Outcome EvaluateCommand(const Evaluation& evaluation) {
  const Texts command = evaluation.parameters.List("command");
  const std::string program = Readable(command.back(), kMaxShown);
  const auto output = RunProgram(command);
  if (!output.ok()) {
    return Outcome::Error(
        FormatMessage(evaluation_messages::kNotStarted,
                      {{"program", Readable(command[0], kMaxShown)},
                       {"cause", output.status().message()}}));
  }
  if (output->end.signal != 0) {
    return Outcome::Failed(
        FormatMessage(evaluation_messages::kSignal,
                      {{"program", program}, {"signal", output->end.signal}}));
  }
  if (output->end.exit_code != 0) {
    const std::string last = LastLine(output->text);
    return Outcome::Failed(FormatMessage(
        evaluation_messages::kExitCode,
        {{"program", program},
         {"code", output->end.exit_code},
         {"output", last.empty() ? "" : absl::StrCat(": ", last)}}));
  }
  const std::string expected = evaluation.parameters.Text("output");
  if (output->text.find(expected) == std::string::npos) {
    return Outcome::Failed(
        FormatMessage(evaluation_messages::kOutputLacks,
                      {{"program", program}, {"expected", expected}}));
  }
  return {};
}

}  // namespace carme::vet
