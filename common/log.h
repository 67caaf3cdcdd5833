// Writes one event per line to stderr: `key=value`, with control characters
// replaced. Thread-safe; a line is one write(2). If stderr is the journal's
// (OpenJournal() of journal.h), each line is an entry with fields instead.
//
//   LogInfo("job submitted", {{"user", user}, {"job", id.value()}});
//   → 2026-11-21T10:00:00.123Z info job submitted user=ada job=k3…
//
// Never log tokens, cookies, passwords, scripts.
#ifndef CARME_COMMON_LOG_H_
#define CARME_COMMON_LOG_H_

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace carme {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// One value of a log line: a string or a number.
class LogField {
 public:
  template <typename Value>
  LogField(std::string_view key, const Value& value)
      : key_(key), value_(Text(value)) {}
  std::string_view key() const { return key_; }
  const std::string& value() const { return value_; }

 private:
  static std::string Text(std::string_view value) { return std::string(value); }
  static std::string Text(const std::string& value) { return value; }
  static std::string Text(const char* value) { return value; }
  template <typename Number>
  static std::string Text(const Number& value) {
    return absl::StrCat(value);
  }
  std::string_view key_;
  std::string value_;
};

using LogFields = std::initializer_list<LogField>;

// Drops lines below `level`. The default is kInfo, or kDebug if the environment
// has CARME_DEBUG=1.
void SetLogLevel(LogLevel level);

// For a process that shares its stderr file with other programs: each line
// begins with "[name] ", and never after an unfinished line of another program.
// Call it before other threads log. An empty name: no prefix.
void MarkLogLines(std::string_view name);
// Adds request=`request_id` to each line, for a process that works for one
// request. Call it before other threads log. An empty id: nothing.
void MarkLogLinesOfRequest(std::string_view request_id);
bool LogsAt(LogLevel level);

void Log(LogLevel level, std::string_view event, LogFields fields = {});
inline void LogDebug(std::string_view event, LogFields fields = {}) {
  Log(LogLevel::kDebug, event, fields);
}
inline void LogInfo(std::string_view event, LogFields fields = {}) {
  Log(LogLevel::kInfo, event, fields);
}
inline void LogWarning(std::string_view event, LogFields fields = {}) {
  Log(LogLevel::kWarning, event, fields);
}
inline void LogError(std::string_view event, LogFields fields = {}) {
  Log(LogLevel::kError, event, fields);
}
// Exactly one line for each privileged operation; never dropped. Fields:
// request, user, subject, decision, result.
void LogAudit(std::string_view event, LogFields fields);

// Receives the warnings and errors of the process in addition to the log. It
// must not log, and must not block. At most one; null: none, and running calls
// have returned.
using LogObserver =
    std::function<void(LogLevel level, std::string_view event, LogFields)>;
void SetLogObserver(LogObserver observer);

// The text of a line without the time.
std::string FormatLogLine(std::string_view level, std::string_view event,
                          LogFields fields);

}  // namespace carme

#endif  // CARME_COMMON_LOG_H_
