// The details in reports of agents. An agent runs as the user of its job, so a
// report can contain anything.
#ifndef CARME_BACKEND_JOBS_AGENTS_REPORTED_DETAIL_H_
#define CARME_BACKEND_JOBS_AGENTS_REPORTED_DETAIL_H_

#include <cstddef>

#include "common/display_text.h"

namespace carme::backend {

inline constexpr size_t kMaxReportedDetail = 400;  // bytes; as in agent.proto
inline constexpr size_t kMaxReportedCode = 2048;   // bytes of the TextCode

// The detail as printable ASCII, cut to kMaxReportedDetail bytes. Its code is
// dropped as a whole, and the English text stays, if a code or the name of a
// parameter is malformed, or if it has too many parameters, levels or bytes.
DisplayText CheckReportedDetail(const DisplayText& reported);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_REPORTED_DETAIL_H_
