// Networks of addresses, and which of them are not everybody's.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_NETWORK_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_NETWORK_H_

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carme::backend {

// An address of either family as IPv6 has it; IPv4 is mapped into it.
using RawAddress = std::array<uint8_t, 16>;

// Nothing: no IPv4 or IPv6 address.
std::optional<RawAddress> RawAddressOf(const sockaddr* address);

struct Network {
  RawAddress address{};
  int bits = 0;  // of 128

  bool Has(const RawAddress& other) const;
};

// "10.0.0.0/8", "2001:db8::/32", or one address. Nothing: it is none, or has
// bits behind the prefix.
std::optional<Network> ParseNetwork(const std::string& text);

// Addresses of the public internet: not a host itself, its own networks,
// tunnels into them, tests, groups of hosts, or what has no meaning yet
// (RFC 6890 and what it cites).
bool IsPublic(const RawAddress& address);

// A single host other than this one, on whatever network: no link-local
// address, where clouds keep their secrets, no group, nothing unspecified.
bool IsOrdinary(const RawAddress& address);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_NETWORK_H_
