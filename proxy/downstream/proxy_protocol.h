// The PROXY protocol, versions 1 and 2: a header with which a load balancer
// names the client of a connection.
// https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt
#ifndef CARME_PROXY_DOWNSTREAM_PROXY_PROTOCOL_H_
#define CARME_PROXY_DOWNSTREAM_PROXY_PROTOCOL_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/http1/head.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "common/unique_fd.h"

namespace carme::proxy {

// Larger than any header that load balancers send.
inline constexpr size_t kMaxProxyHeaderBytes = 2048;

struct ProxyHeader {
  ScanState state = ScanState::kMore;
  size_t bytes = 0;  // of kDone: offset of the client's bytes
  // Of kDone. nullopt: a connection of the load balancer itself (health check),
  // or unknown.
  std::optional<net::Address> client;
  const char* error = "";  // of kRefused
};

// Parses the first bytes of a connection. A pure function, strict about version
// 1. Never returns kMore for kMaxProxyHeaderBytes.
ProxyHeader ScanProxyHeader(std::string_view bytes);

// Reads the header and no byte more: the client's TLS handshake follows.
// Returns the client's address; nullopt as above. `fd` must be connected,
// non-blocking and in no loop, and is so afterwards. INVALID_ARGUMENT: not a
// header; UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED.
net::Task<absl::StatusOr<std::optional<net::Address>>> ReadProxyHeader(
    net::EventLoop& loop, UniqueFd* fd, absl::Duration timeout);

}  // namespace carme::proxy

#endif  // CARME_PROXY_DOWNSTREAM_PROXY_PROTOCOL_H_
