// IP networks, and which addresses are public.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_NETWORK_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_NETWORK_H_

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carme::backend {

// An IPv6 address, or an IPv4 address mapped to IPv6.
using RawAddress = std::array<uint8_t, 16>;

// nullopt: neither IPv4 nor IPv6.
std::optional<RawAddress> RawAddressOf(const sockaddr* address);

struct Network {
  RawAddress address{};
  int bits = 0;  // of 128

  bool Has(const RawAddress& other) const;
};

// "10.0.0.0/8", "2001:db8::/32", or one address. nullopt: invalid, or bits are
// set after the prefix.
std::optional<Network> ParseNetwork(const std::string& text);

// Addresses of the public internet: not loopback, private, tunnel,
// documentation, multicast or reserved (RFC 6890 and its references).
bool IsPublic(const RawAddress& address);

// A unicast address of another host on any network: not loopback, link-local
// (cloud metadata services), multicast or unspecified.
bool IsOrdinary(const RawAddress& address);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_NETWORK_H_
