// The first line of an agent that dials: whose certificate to expect.
#ifndef CARME_PROXY_UPSTREAM_TUNNEL_PREAMBLE_H_
#define CARME_PROXY_UPSTREAM_TUNNEL_PREAMBLE_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::proxy {

// Every hello has as many; what follows it is TLS.
inline constexpr size_t kTunnelPreambleBytes = 29;

// Of what has come, at most kTunnelPreambleBytes: nothing as long as more of it
// is needed. INVALID_ARGUMENT: it is no hello, whatever follows.
absl::StatusOr<std::optional<JobId>> ScanTunnelPreamble(std::string_view bytes);

}  // namespace carme::proxy

#endif  // CARME_PROXY_UPSTREAM_TUNNEL_PREAMBLE_H_
