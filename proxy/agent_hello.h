// The first line of an agent that dials: whose certificate to expect.
#ifndef CARME_PROXY_AGENT_HELLO_H_
#define CARME_PROXY_AGENT_HELLO_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::proxy {

// Every hello has as many; what follows it is TLS.
inline constexpr size_t kAgentHelloBytes = 29;

// Of what has come, at most kAgentHelloBytes: nothing as long as more of it is
// needed. INVALID_ARGUMENT: it is no hello, whatever follows.
absl::StatusOr<std::optional<JobId>> ScanAgentHello(std::string_view bytes);

}  // namespace carme::proxy

#endif  // CARME_PROXY_AGENT_HELLO_H_
