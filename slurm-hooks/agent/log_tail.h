// The last thing that was said in the job's log, for the user's eyes.
#ifndef CARME_SLURM_HOOKS_AGENT_LOG_TAIL_H_
#define CARME_SLURM_HOOKS_AGENT_LOG_TAIL_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace carme::agent {

// How much of a line goes into a report.
inline constexpr size_t kMaxReportedLine = 300;

// How Carme's own programs mark their lines in the log of a job.
inline constexpr char kAgentLogName[] = "carme-agent";

// The last line with anything in it of the file that `fd` writes to, without
// those of Carme's own programs, as printable ASCII and at most `most`
// characters; a longer one is cut in its middle, because the cause comes last.
// Empty when it is no regular file or cannot be read. Looks at its last 4 KiB.
std::string LastLineOf(int fd, size_t most);

// `text` with each path below `directory` (absolute) as its last part alone:
// "open /scratch/7/build-temp-1/VERSION: no such file" becomes "open VERSION:
// no such file".
std::string WithoutDirectory(std::string_view text, std::string_view directory);

// The last line that has `mark`, or else the last one, as a cause for people:
// without paths below `directory`, and at most kMaxReportedLine long.
std::string LastCauseOf(std::string_view mark, int fd,
                        std::string_view directory);

// `text`, or its beginning and its end, at most `most` bytes.
std::string CutInMiddle(std::string_view text, size_t most);

// The same for the last line that has `mark`, from the mark on.
std::string LastLineWith(std::string_view mark, int fd, size_t most);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_LOG_TAIL_H_
