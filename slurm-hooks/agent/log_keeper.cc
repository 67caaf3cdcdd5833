#include "slurm-hooks/agent/log_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::agent {
namespace {

// An app that writes meanwhile appends behind what is kept.
absl::Status Shorten(int fd, const LogBounds& bounds) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return ErrnoError(errno, "fstat");
  if (info.st_size <= bounds.longest_bytes) return absl::OkStatus();
  std::string end(static_cast<size_t>(bounds.kept_bytes), '\0');
  const ssize_t got =
      pread(fd, end.data(), end.size(), info.st_size - bounds.kept_bytes);
  if (got < 0 || ftruncate(fd, 0) != 0) return ErrnoError(errno, "shorten");
  end.resize(static_cast<size_t>(got));
  // From the first whole line on.
  const std::string text = absl::StrCat("…\n", end.substr(end.find('\n') + 1));
  if (write(fd, text.data(), text.size()) < 0) {
    return ErrnoError(errno, "shorten");
  }
  return absl::OkStatus();
}

}  // namespace

LogKeeper::LogKeeper(LogBounds bounds)
    : bounds_(bounds), thread_([this] { Run(); }) {}

LogKeeper::~LogKeeper() {
  {
    const absl::MutexLock lock(&mutex_);
    over_ = true;
  }
  thread_.join();
}

void LogKeeper::Keep(const std::string& app, UniqueFd log) {
  const absl::MutexLock lock(&mutex_);
  logs_.insert_or_assign(app, std::move(log));
}

void LogKeeper::Run() {
  const absl::Condition over(&over_);
  for (;;) {
    std::vector<std::pair<std::string, UniqueFd>> logs;
    {
      const absl::MutexLock lock(&mutex_);
      if (mutex_.AwaitWithTimeout(over, bounds_.period)) return;
      for (const auto& [app, log] : logs_) {
        logs.emplace_back(app, UniqueFd(fcntl(log.get(), F_DUPFD_CLOEXEC, 0)));
      }
    }
    // Not under the lock: whoever starts an app would wait for a file system.
    for (const auto& [app, log] : logs) {
      const absl::Status shortened = Shorten(log.get(), bounds_);
      if (!shortened.ok()) {
        LogWarning("a log is not kept short",
                   {{"app", app}, {"error", shortened.ToString()}});
      }
    }
  }
}

}  // namespace carme::agent
