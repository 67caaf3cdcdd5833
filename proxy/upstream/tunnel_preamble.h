// The first line of a reverse tunnel, which names the job.
#ifndef CARME_PROXY_UPSTREAM_TUNNEL_PREAMBLE_H_
#define CARME_PROXY_UPSTREAM_TUNNEL_PREAMBLE_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::proxy {

// The fixed size of a preamble; TLS follows.
inline constexpr size_t kTunnelPreambleBytes = 29;

// Parses up to kTunnelPreambleBytes. nullopt: more bytes are needed.
// INVALID_ARGUMENT: not a preamble.
absl::StatusOr<std::optional<JobId>> ScanTunnelPreamble(std::string_view bytes);

}  // namespace carme::proxy

#endif  // CARME_PROXY_UPSTREAM_TUNNEL_PREAMBLE_H_
