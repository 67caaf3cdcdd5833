// The Forwarded field (RFC 7239) of a trusted load balancer.
#ifndef CARME_PROXY_HTTP_FORWARDED_H_
#define CARME_PROXY_HTTP_FORWARDED_H_

#include <optional>

#include "absl/status/statusor.h"
#include "common/http1/head.h"
#include "common/net/address.h"
#include "common/net/networks.h"

namespace carme::proxy {

// The client of a request that came from one of `trusted`: the last address in
// the Forwarded fields that is not in `trusted`, because each proxy appends its
// element and only those of trusted proxies count. nullopt: the fields do not
// name a client. INVALID_ARGUMENT: malformed fields, such as an open quote that
// would hide the next element.
absl::StatusOr<std::optional<net::Address>> ForwardedClient(
    const Head& head, const net::Networks& trusted);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_FORWARDED_H_
