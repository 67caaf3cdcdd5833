#include "proxy/telemetry/access_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "common/status.h"

namespace carme::proxy {
namespace {

// Buffered lines are lost in a crash, and a pipe takes this much at once.
constexpr size_t kMaxWriteBytes = 16 * 1024;
constexpr int64_t kMinWriteIntervalMs = net::TimerWheel::kTickMs;

absl::StatusOr<UniqueFd> OpenFile(const std::string& path) {
  // A pipe without a reader must not block the proxy.
  UniqueFd fd(open(path.c_str(),
                   O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
                   0640));
  if (!fd.valid()) return ErrnoError(errno, "access log \"" + path + "\"");
  return fd;
}

}  // namespace

absl::StatusOr<std::unique_ptr<AccessLogFile>> AccessLogFile::Open(
    const std::string& path) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenFile(path));
  return std::unique_ptr<AccessLogFile>(new AccessLogFile(path, std::move(fd)));
}

absl::Status AccessLogFile::Reopen() {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenFile(path_));
  if (dup3(fd.get(), fd_.get(), O_CLOEXEC) < 0) {
    return ErrnoError(errno, "access log \"" + path_ + "\"");
  }
  return absl::OkStatus();
}

void AccessLog::Append(std::string_view line) {
  if (!on()) return;
  lines_.append(line);
  ++count_;
}

void AccessLog::Flush() {
  if (count_ == 0) return;
  // Appending is atomic: lines of two loops never mix.
  const ssize_t written = write(file_->fd(), lines_.data(), lines_.size());
  const bool whole = written == static_cast<ssize_t>(lines_.size());
  (whole ? counters_->log_lines : counters_->log_lines_lost).Add(count_);
  count_ = 0;
  lines_.clear();
  // Do not keep the memory of a burst.
  if (lines_.capacity() > 64 * 1024) std::string().swap(lines_);
}

void LogFlushTimer::EndTurn() {
  if (log_.gathered_bytes() == 0) return;
  if (loop_.now_ms() >= next_write_ms_ ||
      log_.gathered_bytes() >= kMaxWriteBytes) {
    log_.Flush();
    next_write_ms_ = loop_.now_ms() + kMinWriteIntervalMs;
    return;
  }
  if (armed_) return;
  ArmTimer(kMinWriteIntervalMs);
  armed_ = true;
}

void LogClock::AppendNow(std::string* out) {
  timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != second_) {
    second_ = now.tv_sec;
    std::tm utc{};
    gmtime_r(&now.tv_sec, &utc);
    char text[32];
    const size_t size = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.", &utc);
    text_.assign(text, size);
  }
  const auto ms = static_cast<int>(now.tv_nsec / 1'000'000);
  const char digits[] = {static_cast<char>('0' + ms / 100),
                         static_cast<char>('0' + ms / 10 % 10),
                         static_cast<char>('0' + ms % 10), 'Z'};
  out->append(text_).append(digits, sizeof digits);
}

void AppendLogValue(std::string_view value, size_t max_bytes,
                    std::string* out) {
  if (value.empty()) {
    out->push_back('-');
    return;
  }
  const size_t start = out->size();
  out->append(value.substr(0, max_bytes));
  for (size_t i = start; i < out->size(); ++i) {
    char& c = (*out)[i];
    c = c <= ' ' || c >= 0x7f || c == '"' ? '?' : c;
  }
}

}  // namespace carme::proxy
