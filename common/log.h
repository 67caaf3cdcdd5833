// One event a line on stderr: `key=value`, control characters replaced at this
// single exit. Thread-safe; a line is written by one write(2).
//
//   LogInfo("job submitted", {{"user", user}, {"job", id.value()}});
//   → 2026-11-21T10:00:00.123Z info job submitted user=ada job=k3…
//
// Never log tokens, cookies, passwords, scripts.
#ifndef CARME_COMMON_LOG_H_
#define CARME_COMMON_LOG_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace carme {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// One value of a log line; takes strings and numbers.
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

// Lines below `level` are dropped; the start value is kInfo, or kDebug when
// the environment has CARME_DEBUG=1.
void SetLogLevel(LogLevel level);

// For a process whose stderr is a file in which other programs write, too: each
// line then begins with "[name] ", and never behind an unfinished line of
// theirs. Call before other threads log. An empty name: without marks again.
void MarkLogLines(std::string_view name);
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
// Exactly one for each privileged act; never dropped. Give: request, who, as,
// act, decision, result.
void LogAudit(std::string_view event, LogFields fields);

// In two steps, for a place where only write(2) may be called: the line that
// LogAudit would write now, and the single exit for it.
std::string AuditLine(std::string_view event, LogFields fields);
void WriteLogLine(std::string_view line);

// The text of one line, without the time; for tests.
std::string FormatLogLine(std::string_view level, std::string_view event,
                          LogFields fields);

}  // namespace carme

#endif  // CARME_COMMON_LOG_H_
