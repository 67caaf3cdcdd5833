// The access log: one line per finished request. docs/admin/monitoring.md has
// the format.
#ifndef CARME_PROXY_TELEMETRY_ACCESS_LOG_H_
#define CARME_PROXY_TELEMETRY_ACCESS_LOG_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/net/event_loop.h"
#include "common/net/timer_wheel.h"
#include "common/unique_fd.h"
#include "proxy/telemetry/counters.h"

namespace carme::proxy {

// The log file, shared by all loops. Thread-safe.
class AccessLogFile {
 public:
  // Appends to `path`; creates it (0640) if it does not exist.
  static absl::StatusOr<std::unique_ptr<AccessLogFile>> Open(
      const std::string& path);

  // After a rotation: opens the file at the path again. On error, the old file
  // stays in use.
  absl::Status Reopen();
  int fd() const { return fd_.get(); }

 private:
  AccessLogFile(std::string path, UniqueFd fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}
  const std::string path_;
  // Reopen() replaces the file behind this descriptor.
  const UniqueFd fd_;
};

// The log of one loop: buffers lines and writes them at once.
class AccessLog {
 public:
  // `file` must outlive it; null: no log.
  AccessLog(const AccessLogFile* file, Counters* counters)
      : file_(file), counters_(counters) {}

  bool on() const { return file_ != nullptr; }
  // `line` must end with a newline.
  void Append(std::string_view line);
  // Lines that cannot be written are dropped and counted.
  void Flush();
  size_t gathered_bytes() const { return lines_.size(); }

 private:
  const AccessLogFile* const file_;
  Counters* const counters_;
  std::string lines_;
  uint64_t count_ = 0;  // in lines_
};

// Decides when lines are written: at once after a pause, else when enough are
// buffered or some time has passed. Writing after each turn of a busy loop
// would mean one write per request. Not thread-safe: used on the loop's thread.
class LogFlushTimer : private net::Timer {
 public:
  // Both must outlive it.
  LogFlushTimer(net::EventLoop& loop, AccessLog& log)
      : Timer(loop.timers()), loop_(loop), log_(log) {}
  ~LogFlushTimer() override = default;

  void EndTurn();

 private:
  // Only wakes the loop, whose turn then ends.
  void OnDeadline() override { armed_ = false; }

  net::EventLoop& loop_;
  AccessLog& log_;
  int64_t next_write_ms_ = 0;
  bool armed_ = false;
};

// The timestamp of a line: UTC with milliseconds. Caches the part up to the
// second. Not thread-safe.
class LogClock {
 public:
  void AppendNow(std::string* out);

 private:
  int64_t second_ = -1;
  std::string text_;  // of second_
};

// Appends untrusted text: at most `max` bytes. Blanks, control characters,
// quotes and bytes beyond ASCII become '?'; empty text becomes '-'.
void AppendLogValue(std::string_view value, size_t max_bytes, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_ACCESS_LOG_H_
