#include "slurm-hooks/spank/submit_side.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/unique_fd.h"

namespace carme {
namespace {

// Standard output of a program.
struct Output {
  std::string text;  // at most kMaxExpandedBytes of it
  size_t bytes = 0;  // total size
};

bool ReadAll(int fd, Output* output) {
  char buffer[16384];
  while (true) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    output->bytes += static_cast<size_t>(got);
    if (output->bytes <= kMaxExpandedBytes) {
      output->text.append(buffer, static_cast<size_t>(got));
    }
  }
}

// Starts `carme edf render -- NAME` with `out` as its standard output; returns
// an errno.
int SpawnProgram(const std::string& carme, const std::string& name, int out,
                 pid_t* pid) {
  const char* const arguments[] = {carme.c_str(), "edf",        "render",
                                   "--",          name.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (error == 0) {
    error = posix_spawn(pid, carme.c_str(), &actions, nullptr,
                        const_cast<char* const*>(arguments), environ);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Returns whether it succeeded. An unknown result, for example because the
// caller ignores SIGCHLD, is a failure.
bool Succeeded(pid_t pid) {
  int status = 0;
  pid_t ended;
  do {
    ended = waitpid(pid, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<std::string> Render(const std::string& carme,
                                  const std::string& name, Output* output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return std::string("cannot make a pipe: ") + std::strerror(errno);
  }
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  pid_t pid = 0;
  const int error = SpawnProgram(carme, name, to.get(), &pid);
  to.reset();
  if (error != 0) {
    return "cannot run \"" + carme + "\": " + std::strerror(error);
  }
  const bool whole = ReadAll(from.get(), output);
  if (!Succeeded(pid) || !whole) return "\"" + name + "\" is refused";
  if (output->bytes <= kMaxExpandedBytes) return std::nullopt;
  return "\"" + name + "\" is " + std::to_string(output->bytes) +
         " bytes long when rendered: expected at most " +
         std::to_string(kMaxExpandedBytes);
}

std::optional<std::string> Choice(const std::optional<std::string>& option) {
  if (option) return option;
  const char* const chosen = getenv(kChoiceVariable);
  if (chosen == nullptr || *chosen == '\0') return std::nullopt;
  return chosen;
}

}  // namespace

std::optional<std::string> PassEnvironmentOn(
    const std::string& carme, const std::optional<std::string>& option) {
  const std::optional<std::string> choice = Choice(option);
  if (!choice) return std::nullopt;
  if (choice->empty()) {
    unsetenv(kExpandedVariable);
  } else {
    Output rendered;
    if (auto refusal = Render(carme, *choice, &rendered)) return refusal;
    if (setenv(kExpandedVariable, rendered.text.c_str(), 1) != 0) {
      return std::string("cannot set ") + kExpandedVariable;
    }
  }
  unsetenv(kChoiceVariable);
  return std::nullopt;
}

}  // namespace carme
