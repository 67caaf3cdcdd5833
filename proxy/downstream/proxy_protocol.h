// The PROXY protocol, versions 1 and 2: what a load balancer sends ahead of a
// connection that it passes on, to say whose it is.
// https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt
//
// A pure function over bytes. Strict: a version 1 header is as the
// specification writes it, and of version 2 only what a server needs is
// understood.
#ifndef CARME_PROXY_DOWNSTREAM_PROXY_PROTOCOL_H_
#define CARME_PROXY_DOWNSTREAM_PROXY_PROTOCOL_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "common/unique_fd.h"
#include "proxy/http/http1_head.h"

namespace carme::proxy {

// With what a load balancer may add, far more than any does.
inline constexpr size_t kMaxProxyHeaderBytes = 2048;

struct ProxyHeader {
  ScanState state = ScanState::kMore;
  size_t bytes = 0;  // of kDone: the client's own bytes begin there
  // Of kDone. None: the load balancer speaks for itself (a health check), or
  // does not know.
  std::optional<net::Address> client;
  const char* error = "";  // of kRefused
};

// Of the first bytes of a connection. Never kMore for as many as
// kMaxProxyHeaderBytes.
ProxyHeader ScanProxyHeader(std::string_view bytes);

// The client's address; none: the load balancer speaks for itself. `fd` is
// connected and non-blocking, and in no loop before and after.
// INVALID_ARGUMENT: what came is no such header; UNAVAILABLE,
// DEADLINE_EXCEEDED, CANCELLED.
net::Task<absl::StatusOr<std::optional<net::Address>>> ReadProxyHeader(
    net::EventLoop& loop, UniqueFd* fd, absl::Duration timeout);

}  // namespace carme::proxy

#endif  // CARME_PROXY_DOWNSTREAM_PROXY_PROTOCOL_H_
