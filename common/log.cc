#include "common/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/journal.h"

namespace carme {
namespace {

std::atomic<LogLevel>& Threshold() {
  static std::atomic<LogLevel> level = [] {
    const char* debug = std::getenv("CARME_DEBUG");
    return debug != nullptr && std::string_view(debug) == "1" ? LogLevel::kDebug
                                                              : LogLevel::kInfo;
  }();
  return level;
}

// The prefix of each line; may be empty.
std::string& Mark() {
  static std::string mark;
  return mark;
}

// The request of each line; may be empty.
std::string& RequestOfLines() {
  static std::string request;
  return request;
}

// Whether the file of stderr ends within a line.
bool IsWithinLine() {
  const int fd =
      open("/proc/self/fd/2", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat info {};
  char last = '\n';
  const bool within =
      fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
      pread(fd, &last, 1, info.st_size - 1) == 1 && last != '\n';
  close(fd);
  return within;
}

std::string_view NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

int PriorityOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return LOG_DEBUG;
    case LogLevel::kInfo:
      return LOG_INFO;
    case LogLevel::kWarning:
      return LOG_WARNING;
    case LogLevel::kError:
      return LOG_ERR;
  }
  return LOG_ERR;
}

// Leaked: threads may log while the process exits.
struct Observer {
  absl::Mutex mutex;
  LogObserver call ABSL_GUARDED_BY(mutex);
};
Observer& TheObserver() {
  static auto* const observer = new Observer();
  return *observer;
}

bool NeedsQuotes(std::string_view value) {
  return value.empty() || value.find_first_of(" \"=") != std::string_view::npos;
}

void AppendClean(std::string_view text, bool quoted, std::string* line) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      line->push_back('?');
    } else if (quoted && (c == '"' || c == '\\')) {
      line->push_back('\\');
      line->push_back(c);
    } else {
      line->push_back(c);
    }
  }
}

void WriteToStderr(std::string_view line) {
  // An error of the log cannot be reported anywhere.
  [[maybe_unused]] const ssize_t put =
      write(STDERR_FILENO, line.data(), line.size());
}

void WriteLine(std::string_view level, int priority, std::string_view event,
               LogFields fields) {
  std::string text = FormatLogLine(level, event, fields);
  const std::string& request = RequestOfLines();
  if (!request.empty()) absl::StrAppend(&text, " request=", request);
  JournalEntry entry(priority, text);
  for (const LogField& field : fields) entry.Add(field.key(), field.value());
  if (!request.empty()) entry.Add("request", request);
  if (SendToJournal(entry)) return;
  const std::string line =
      absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ ", absl::Now(),
                                    absl::UTCTimeZone()),
                   text, "\n");
  if (Mark().empty()) return WriteToStderr(line);
  WriteToStderr(absl::StrCat(IsWithinLine() ? "\n" : "", Mark(), line));
}

}  // namespace

void SetLogLevel(LogLevel level) { Threshold() = level; }
void MarkLogLines(std::string_view name) {
  Mark() = name.empty() ? "" : absl::StrCat("[", std::string(name), "] ");
}
void MarkLogLinesOfRequest(std::string_view request_id) {
  RequestOfLines() = request_id;
}
bool LogsAt(LogLevel level) { return level >= Threshold(); }

std::string FormatLogLine(std::string_view level, std::string_view event,
                          LogFields fields) {
  std::string line(level);
  line.push_back(' ');
  AppendClean(event, false, &line);
  for (const LogField& field : fields) {
    line.push_back(' ');
    line.append(field.key());
    line.push_back('=');
    const bool quoted = NeedsQuotes(field.value());
    if (quoted) line.push_back('"');
    AppendClean(field.value(), quoted, &line);
    if (quoted) line.push_back('"');
  }
  return line;
}

void Log(LogLevel level, std::string_view event, LogFields fields) {
  if (!LogsAt(level)) return;
  WriteLine(NameOf(level), PriorityOf(level), event, fields);
  if (level < LogLevel::kWarning) return;
  Observer& observer = TheObserver();
  const absl::ReaderMutexLock lock(&observer.mutex);
  if (observer.call) observer.call(level, event, fields);
}

void SetLogObserver(LogObserver observer) {
  Observer& current = TheObserver();
  const absl::MutexLock lock(&current.mutex);
  current.call = std::move(observer);
}

void LogAudit(std::string_view event, LogFields fields) {
  WriteLine("audit", LOG_NOTICE, event, fields);
}

}  // namespace carme
