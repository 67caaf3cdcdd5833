// Limits connections and requests, in total and per key: a client's address, a
// session, or an agent's address.
#ifndef CARME_PROXY_LIMITS_CONNECTION_LIMITER_H_
#define CARME_PROXY_LIMITS_CONNECTION_LIMITER_H_

#include <string>

#include "common/concurrency/concurrency_limiter.h"
#include "common/net/address.h"

namespace carme::proxy {

using ConnectionLimiter = ConcurrencyLimiter<std::string>;
using ConnectionSlot = ConnectionLimiter::Slot;

// The key of a client: its IPv4 address, or the /64 of its IPv6 address,
// because a single customer has that many addresses.
std::string ClientKeyOf(const net::Address& peer);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_CONNECTION_LIMITER_H_
