// Slurm's words for a limit that is reached, such as "QOSMaxGRESPerUser".
#ifndef CARME_BACKEND_JOBS_LIMIT_REASON_H_
#define CARME_BACKEND_JOBS_LIMIT_REASON_H_

#include <optional>
#include <string>
#include <string_view>

namespace carme::backend {

// One sentence with what to do; nothing for what is no such word. There are
// about 140 of them, made of whose limit it is (Assoc, QOS, or …PerAccount), of
// what, for whom and over which time; so are the sentences.
std::optional<std::string> LimitReason(std::string_view word);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIMIT_REASON_H_
