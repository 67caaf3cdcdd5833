// The last thing that was said in the job's log, for the user's eyes.
#ifndef CARME_SLURM_HOOKS_AGENT_LOG_TAIL_H_
#define CARME_SLURM_HOOKS_AGENT_LOG_TAIL_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace carme::agent {

// The last line with anything in it of the file that `fd` writes to, as
// printable ASCII and at most `most` characters; empty when it is no regular
// file or cannot be read. Looks at its last 4 KiB.
std::string LastLineOf(int fd, size_t most);

// The same for the last line that has `mark`, from the mark on.
std::string LastLineWith(std::string_view mark, int fd, size_t most);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_LOG_TAIL_H_
