#include "slurm-hooks/agent/batch_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::agent {
namespace {

// As Slurm's max_script_size.
constexpr size_t kLongestScript = 4 << 20;
constexpr size_t kLongestFirstLine = 256;  // as Linux's own
constexpr char kShell[] = "bash";

std::string ValueOf(const std::vector<std::string>& variables,
                    std::string_view name) {
  for (const std::string& entry : variables) {
    if (entry.size() > name.size() && entry.starts_with(name) &&
        entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return "";
}

// "~/…" is the home's, what is relative the working directory's.
std::string PathIn(const std::string& path, const std::string& base,
                   const std::string& home) {
  if (path == "~") return home;
  if (path.starts_with("~/")) return absl::StrCat(home, path.substr(1));
  if (path.starts_with("/")) return path;
  return absl::StrCat(base, "/", path);
}

absl::StatusOr<std::string> ReadScript(const std::string& path) {
  const std::string what = absl::StrCat("read script \"", path, "\"");
  // O_NONBLOCK: a FIFO does not wait for somebody who writes.
  const UniqueFd fd(
      open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, what);
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, ": is no regular file"));
  }
  std::string text;
  char buffer[16384];
  while (text.size() <= kLongestScript) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, what);
    if (got == 0) return text;
    text.append(buffer, static_cast<size_t>(got));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      what, ": has more than ", kLongestScript, " bytes: expected less"));
}

// "#!/usr/bin/env python3" is the program and all that follows as one argument,
// as execve(2) has it.
absl::StatusOr<std::vector<std::string>> InterpreterOf(
    const std::string& script, const std::string& path) {
  const std::string line =
      script.substr(0, script.find('\n')).substr(0, kLongestFirstLine);
  const absl::Status wrong = absl::FailedPreconditionError(
      absl::StrCat("script \"", path,
                   "\" does not say what runs it: expected a first line "
                   "\"#!/…\""));
  if (!line.starts_with("#!")) return wrong;
  const std::string rest(absl::StripAsciiWhitespace(line.substr(2)));
  if (rest.empty() || rest[0] != '/' || rest.find('\0') != std::string::npos) {
    return wrong;
  }
  const size_t end = rest.find_first_of(" \t");
  std::vector<std::string> words = {rest.substr(0, end)};
  if (end != std::string::npos) {
    words.emplace_back(absl::StripAsciiWhitespace(rest.substr(end)));
  }
  return words;
}

absl::StatusOr<std::vector<std::string>> CommandOf(const BatchPlan& plan,
                                                   const BatchPlaces& places) {
  if (plan.script.empty()) {
    return std::vector<std::string>{kShell, "-c", plan.command};
  }
  const std::string path = PathIn(plan.script, places.home, places.home);
  ASSIGN_OR_RETURN(const std::string script, ReadScript(path));
  ASSIGN_OR_RETURN(std::vector<std::string> words, InterpreterOf(script, path));
  // Editors write files anew, and shells read them as they go.
  const std::string copy = absl::StrCat(places.directory, "/batch_script");
  RETURN_IF_ERROR(WriteFile(copy, script, 0700));
  words.push_back(copy);
  words.insert(words.end(), plan.arguments.begin(), plan.arguments.end());
  return words;
}

absl::StatusOr<OutputFile> OpenOutput(const std::string& path, mode_t umask) {
  OutputFile file;
  file.path = path;
  // A file of the user's, who may want a link or a device there.
  file.fd = UniqueFd(open(path.c_str(),
                          O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NONBLOCK |
                              O_NOCTTY | O_CLOEXEC,
                          0666 & ~umask));
  if (file.fd.valid()) return file;
  return ErrnoError(errno, absl::StrCat("open output file \"", path, "\""));
}

}  // namespace

BatchPlaces PlacesOf(const std::vector<std::string>& variables,
                     const std::string& home, const std::string& directory,
                     mode_t umask) {
  return {.home = home,
          .directory = directory,
          .job = ValueOf(variables, "SLURM_JOB_ID"),
          .array = ValueOf(variables, "SLURM_ARRAY_JOB_ID"),
          .task = ValueOf(variables, "SLURM_ARRAY_TASK_ID"),
          .umask = umask};
}

std::string ExpandOutput(std::string_view text, const BatchPlaces& places) {
  std::string expanded;
  for (size_t i = 0; i < text.size(); ++i) {
    const char word = text[i] == '%' && i + 1 < text.size() ? text[i + 1] : 0;
    if (word == 'j') {
      expanded += places.job;
    } else if (word == 'A') {
      expanded += places.array.empty() ? places.job : places.array;
    } else if (word == 'a') {
      expanded += places.task;
    } else if (word == '%') {
      expanded += '%';
    } else {
      expanded += text[i];
      continue;
    }
    ++i;
  }
  return expanded;
}

absl::StatusOr<PreparedBatch> PrepareBatch(const BatchPlan& plan,
                                           const BatchPlaces& places) {
  PreparedBatch batch;
  batch.directory = plan.directory.empty()
                        ? places.home
                        : PathIn(plan.directory, places.home, places.home);
  const UniqueFd there(
      open(batch.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!there.valid()) {
    return ErrnoError(errno, absl::StrCat("enter working directory \"",
                                          batch.directory, "\""));
  }
  ASSIGN_OR_RETURN(batch.arguments, CommandOf(plan, places));
  const auto path_of = [&](const std::string& name) {
    return PathIn(ExpandOutput(name, places), batch.directory, places.home);
  };
  if (!plan.output.empty()) {
    ASSIGN_OR_RETURN(batch.output,
                     OpenOutput(path_of(plan.output), places.umask));
  }
  batch.together =
      plan.error.empty() ||
      (!plan.output.empty() && path_of(plan.error) == batch.output.path);
  if (batch.together) return batch;
  ASSIGN_OR_RETURN(batch.error, OpenOutput(path_of(plan.error), places.umask));
  return batch;
}

}  // namespace carme::agent
