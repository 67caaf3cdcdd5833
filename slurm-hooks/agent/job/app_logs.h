// Log files of the apps of a job: where they lie, how their size is limited,
// and the last line of a log for messages to the user.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_APP_LOGS_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_APP_LOGS_H_

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "common/unique_fd.h"

namespace carme::agent {

// <home>/.carme/<job>.<app>.log
std::string AppLogPath(const std::string& home, const JobId& job,
                       const std::string& app);

// Opened for reading and appending, made 0600 when there is none; no link is
// followed. FAILED_PRECONDITION: no regular file; errors of open(2).
absl::StatusOr<UniqueFd> OpenAppLog(const std::string& path);

struct LogLimits {
  off_t max_bytes = 16 << 20;
  off_t retained_bytes = 1 << 20;  // of one that is longer
  absl::Duration period = absl::Seconds(1);
};

class LogLimiter {
 public:
  explicit LogLimiter(LogLimits bounds = {});
  ~LogLimiter();

  // From now on this is the app's log, open for reading and appending.
  void Keep(const std::string& app, UniqueFd log);

 private:
  void Run();

  const LogLimits bounds_;
  absl::Mutex mutex_;
  std::map<std::string, UniqueFd> logs_ ABSL_GUARDED_BY(mutex_);
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// How much of a line goes into a report.
inline constexpr size_t kMaxReportedLine = 300;

// How Carme's own programs mark their lines in the log of a job.
inline constexpr char kAgentLogName[] = "carme-agent";

// The last line with anything in it of the file that `fd` writes to, without
// those of Carme's own programs, as printable ASCII and at most `most`
// characters; a longer one is cut in its middle, because the cause comes last.
// Empty when it is no regular file or cannot be read. Looks at its last 4 KiB.
std::string ReadLastLine(int fd, size_t most);

// `text` with each path below `directory` (absolute) as its last part alone:
// "open /scratch/7/build-temp-1/VERSION: no such file" becomes "open VERSION:
// no such file".
std::string WithoutDirectory(std::string_view text, std::string_view directory);

// The last line that has `mark`, or else the last one, as a cause for people:
// without paths below `directory`, and at most kMaxReportedLine long.
std::string ReadLastCause(std::string_view mark, int fd,
                          std::string_view directory);

// `text`, or its beginning and its end, at most `most` bytes.
std::string CutInMiddle(std::string_view text, size_t most);

// The same for the last line that has `mark`, from the mark on.
std::string ReadLastLineWith(std::string_view mark, int fd, size_t most);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_APP_LOGS_H_
