#include "slurm-hooks/agent/job/app_logs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/job/messages.h"

namespace carme::agent {

std::string AppLogPath(const std::string& home, const JobId& job,
                       const std::string& app) {
  return absl::StrCat(home, "/.carme/", job.value(), ".", app, ".log");
}

absl::StatusOr<UniqueFd> OpenAppLog(const std::string& path) {
  const std::string what = absl::StrCat("log \"", path, "\"");
  UniqueFd fd(open(path.c_str(),
                   O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
                       O_NOCTTY | O_CLOEXEC,
                   0600));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, what);
  }
  if (!S_ISREG(info.st_mode)) {
    return MakeError(agent_job_messages::kLogNotAFile, {{"path", path}});
  }
  return fd;
}

namespace {

// An app that writes in the meantime appends after the retained part.
absl::Status Shorten(int fd, const LogLimits& bounds) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return ErrnoError(errno, "fstat");
  if (info.st_size <= bounds.max_bytes) return absl::OkStatus();
  std::string end(static_cast<size_t>(bounds.retained_bytes), '\0');
  const ssize_t got =
      pread(fd, end.data(), end.size(), info.st_size - bounds.retained_bytes);
  if (got < 0 || ftruncate(fd, 0) != 0) return ErrnoError(errno, "shorten");
  end.resize(static_cast<size_t>(got));
  // From the first complete line on.
  const std::string text = absl::StrCat("…\n", end.substr(end.find('\n') + 1));
  if (write(fd, text.data(), text.size()) < 0) {
    return ErrnoError(errno, "shorten");
  }
  return absl::OkStatus();
}

}  // namespace

LogLimiter::LogLimiter(LogLimits bounds)
    : bounds_(bounds),
      thread_("log-limiter", bounds.period, [this] { ShortenLogs(); }) {}

void LogLimiter::Add(const std::string& app, UniqueFd log) {
  const absl::MutexLock lock(&mutex_);
  logs_.insert_or_assign(app, std::move(log));
}

void LogLimiter::ShortenLogs() {
  std::vector<std::pair<std::string, UniqueFd>> logs;
  {
    const absl::MutexLock lock(&mutex_);
    for (const auto& [app, log] : logs_) {
      logs.emplace_back(app, UniqueFd(fcntl(log.get(), F_DUPFD_CLOEXEC, 0)));
    }
  }
  // Not under the lock: starting an app must not wait for a file system.
  for (const auto& [app, log] : logs) {
    const absl::Status shortened = Shorten(log.get(), bounds_);
    if (!shortened.ok()) {
      LogWarning("log not shortened",
                 {{"app", app}, {"error", shortened.ToString()}});
    }
  }
}

namespace {

constexpr off_t kWindowBytes = 4096;

std::string ReadEnd(int fd) {
  // The log is open for writing only; /proc opens it again with the permissions
  // of the file.
  const UniqueFd again(open(absl::StrCat("/proc/self/fd/", fd).c_str(),
                            O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!again.valid() || fstat(again.get(), &info) != 0 ||
      !S_ISREG(info.st_mode)) {
    return "";
  }
  std::string text(kWindowBytes, '\0');
  const ssize_t got = pread(again.get(), text.data(), text.size(),
                            std::max<off_t>(0, info.st_size - kWindowBytes));
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

}  // namespace

std::string ReadLastLine(int fd, size_t max) {
  return ReadLastLineWith("", fd, max);
}

std::string ReadLastLineWith(std::string_view mark, int fd, size_t max) {
  const std::string text = ReadEnd(fd);
  const std::string own = absl::StrCat("[", kAgentLogName, "] ");
  std::string last;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::string bare(absl::StripAsciiWhitespace(line));
    if (bare.starts_with(own)) continue;
    const size_t begin = bare.find(mark);
    if (!bare.empty() && begin != std::string::npos) last = bare.substr(begin);
  }
  for (char& c : last) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return CutInMiddle(last, max);
}

std::string WithoutDirectory(std::string_view text,
                             std::string_view directory) {
  constexpr std::string_view kEndsPath = " :,;\"'()\n";
  std::string shorter;
  while (!directory.empty()) {
    const size_t begin = text.find(directory);
    if (begin == std::string_view::npos) break;
    const size_t behind = begin + directory.size();
    if (behind >= text.size() || text[behind] != '/') {
      shorter += text.substr(0, behind);
      text.remove_prefix(behind);
      continue;
    }
    const size_t end =
        std::min(text.find_first_of(kEndsPath, behind), text.size());
    const std::string_view path = text.substr(begin, end - begin);
    shorter += text.substr(0, begin);
    shorter += path.substr(path.rfind('/') + 1);
    text.remove_prefix(end);
  }
  shorter += text;
  return shorter;
}

std::string ReadLastCause(std::string_view mark, int fd,
                          std::string_view directory) {
  std::string line = ReadLastLineWith(mark, fd, kWindowBytes);
  if (line.empty()) line = ReadLastLine(fd, kWindowBytes);
  return CutInMiddle(WithoutDirectory(line, directory), kMaxReportedLine);
}

std::string CutInMiddle(std::string_view text, size_t max) {
  constexpr std::string_view kGap = " ... ";
  if (text.size() <= max || max <= kGap.size()) {
    return std::string(text.substr(0, max));
  }
  const size_t kept = max - kGap.size();
  const size_t head = kept / 3;
  std::string cut(text.substr(0, head));
  cut += kGap;
  cut += text.substr(text.size() - (kept - head));
  return cut;
}

}  // namespace carme::agent
