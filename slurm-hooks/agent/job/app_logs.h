// Log files of the apps of a job: where they lie, how their size is limited,
// and the last line of a log for messages to the user.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_APP_LOGS_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_APP_LOGS_H_

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/concurrency/background_thread.h"
#include "common/ids.h"
#include "common/unique_fd.h"

namespace carme::agent {

// Returns "<home>/.carme/<job>.<app>.log".
std::string AppLogPath(const std::string& home, const JobId& job,
                       const std::string& app);

// Opens the log for reading and appending, creates it with mode 0600, and
// follows no link. FAILED_PRECONDITION: not a regular file; errors of open(2).
absl::StatusOr<UniqueFd> OpenAppLog(const std::string& path);

struct LogLimits {
  off_t max_bytes = 16 << 20;
  off_t retained_bytes = 1 << 20;  // of a log that exceeded max_bytes
  absl::Duration period = absl::Seconds(1);
};

// Limits the size of logs while their apps write: a log that exceeds the limit
// keeps its end. Output written during the cut may be lost, and a log may
// exceed the limit between two checks. Runs on its own thread, because a home
// directory may hang. Thread-safe.
class LogLimiter {
 public:
  explicit LogLimiter(LogLimits bounds = {});

  // Limits this log of the app, which must be open for reading and appending.
  void Add(const std::string& app, UniqueFd log);

 private:
  void ShortenLogs();

  const LogLimits bounds_;
  absl::Mutex mutex_;
  std::map<std::string, UniqueFd> logs_ ABSL_GUARDED_BY(mutex_);
  const BackgroundThread thread_;  // last: uses the other members
};

// Length of a log line in a report.
inline constexpr size_t kMaxReportedLine = 300;

// Prefix of lines of Carme's own programs in a job's log.
inline constexpr char kAgentLogName[] = "carme-agent";

// Returns the last non-empty line of the file that `fd` writes to, as printable
// ASCII of at most `max` characters, without lines of Carme's own programs. A
// longer line is cut in its middle, because the cause comes last. Empty if it
// is not a regular file or cannot be read. Reads the last 4 KiB.
std::string ReadLastLine(int fd, size_t max);

// Replaces each path in `text` that is below `directory` (absolute) by its last
// component: "open /scratch/7/build-temp-1/VERSION: no such file" becomes "open
// VERSION: no such file".
std::string WithoutDirectory(std::string_view text, std::string_view directory);

// Returns the last line that contains `mark`, or else the last line, as an
// error cause for users: without paths below `directory`, at most
// kMaxReportedLine characters.
std::string ReadLastCause(std::string_view mark, int fd,
                          std::string_view directory);

// Returns `text`, or its beginning and its end if it is longer than `max`
// bytes.
std::string CutInMiddle(std::string_view text, size_t max);

// Same as ReadLastLine for the last line that contains `mark`, from the mark
// on.
std::string ReadLastLineWith(std::string_view mark, int fd, size_t max);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_APP_LOGS_H_
