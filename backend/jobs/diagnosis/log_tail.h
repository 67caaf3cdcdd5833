// The end of a log for display. Pure.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_LOG_TAIL_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_LOG_TAIL_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace carme::backend {

inline constexpr size_t kLastLinesBytes = 4096;

// At most 20 lines and 4096 bytes of the end of `text`, without terminal
// colours and messages of the agent. An overwritten line is shown in its last
// version, an unprintable character as "?". `cut`: `text` is the end of a
// longer log, so its first line may be incomplete.
std::string LastLinesOf(std::string_view text, bool cut);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_LOG_TAIL_H_
