// The Forwarded field (RFC 7239) of a load balancer that is trusted.
#ifndef CARME_PROXY_HTTP_FORWARDED_H_
#define CARME_PROXY_HTTP_FORWARDED_H_

#include <optional>

#include "absl/status/statusor.h"
#include "common/net/address.h"
#include "common/net/networks.h"
#include "proxy/http/http1_head.h"

namespace carme::proxy {

// Who made the request, when it came from one of `trusted`: the last address in
// the head's Forwarded fields that is not of `trusted` itself, because each
// proxy on the way adds its element at the end and only they are believed.
// None: the fields do not say, or there are none. INVALID_ARGUMENT: they cannot
// be read, as when a client has left a quote open for its address to be lost
// in.
absl::StatusOr<std::optional<net::Address>> ForwardedClient(
    const Head& head, const net::Networks& trusted);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_FORWARDED_H_
