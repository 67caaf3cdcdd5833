// The access log: a line for each request, when it has ended. README.md has the
// format.
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

// The file that all loops write to. Thread-safe.
class AccessLogFile {
 public:
  // Appends to `path`, made 0640 when it is not there.
  static absl::StatusOr<std::unique_ptr<AccessLogFile>> Open(
      const std::string& path);

  // After a rotation: goes on with the file that is at the path now. An error
  // leaves it with the one it had.
  absl::Status Reopen();
  int fd() const { return fd_.get(); }

 private:
  AccessLogFile(std::string path, UniqueFd fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}
  const std::string path_;
  // Another file takes the number over, so that it never changes.
  const UniqueFd fd_;
};

// One loop's part: lines are gathered and go out in one write.
class AccessLog {
 public:
  // `file` outlives it; null: nothing is logged.
  AccessLog(const AccessLogFile* file, Counters* counters)
      : file_(file), counters_(counters) {}

  bool on() const { return file_ != nullptr; }
  // `line` ends with a newline.
  void Append(std::string_view line);
  // Lines that cannot be written are lost, and counted.
  void Flush();
  size_t gathered_bytes() const { return lines_.size(); }

 private:
  const AccessLogFile* const file_;
  Counters* const counters_;
  std::string lines_;
  uint64_t count_ = 0;  // in lines_
};

// Says when lines are written: at once after a pause, else when there are
// enough of them or the last write is a while ago. A write for each turn of a
// busy loop would be one for each request. Thread rule: the loop's thread.
class LogFlushTimer : private net::Timer {
 public:
  // Both outlive it.
  LogFlushTimer(net::EventLoop& loop, AccessLog& log)
      : Timer(loop.timers()), loop_(loop), log_(log) {}
  ~LogFlushTimer() override = default;

  void EndTurn();

 private:
  // It has only to wake the loop: a turn ends after that.
  void OnDeadline() override { armed_ = false; }

  net::EventLoop& loop_;
  AccessLog& log_;
  int64_t next_write_ms_ = 0;
  bool armed_ = false;
};

// The time of a line: UTC, milliseconds. Cheap: most of it is from the last
// call. Not thread-safe.
class LogClock {
 public:
  void AppendNow(std::string* out);

 private:
  int64_t second_ = -1;
  std::string text_;  // of second_
};

// What comes from outside, for a line: at most `most` bytes, and no blank, no
// control character, no quote and nothing beyond ASCII but as '?'. Nothing is
// '-'.
void AppendLogValue(std::string_view value, size_t most, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_ACCESS_LOG_H_
