// What a log says last, for people: pure.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_LOG_TAIL_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_LOG_TAIL_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace carme::backend {

inline constexpr size_t kLastLinesBytes = 4096;

// At most 20 lines and 4096 bytes of the end of `text`, in which a terminal's
// colours are left out, a line that was written over again and again is as it
// was last, and what cannot be shown is "?". Without the agent's own news. `cut`:
// the text is the end of a longer one, so that its first line may not be whole.
std::string LastLinesOf(std::string_view text, bool cut);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_LOG_TAIL_H_
