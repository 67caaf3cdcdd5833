// Takes a load balancer's PROXY header off a connection, and no byte more: what
// follows is the client's TLS.
#ifndef CARME_PROXY_PROXY_HEADER_READER_H_
#define CARME_PROXY_PROXY_HEADER_READER_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "common/unique_fd.h"

namespace carme::proxy {

// The client's address; none: the load balancer speaks for itself. `fd` is
// connected and non-blocking, and in no loop before and after.
// INVALID_ARGUMENT: what came is no such header; UNAVAILABLE,
// DEADLINE_EXCEEDED, CANCELLED.
net::Task<absl::StatusOr<std::optional<net::Address>>> ReadProxyHeader(
    net::EventLoop& loop, UniqueFd* fd, absl::Duration patience);

}  // namespace carme::proxy

#endif  // CARME_PROXY_PROXY_HEADER_READER_H_
