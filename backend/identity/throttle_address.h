// Whom the throttle takes for one client, judged by an address.
#ifndef CARME_BACKEND_IDENTITY_THROTTLE_ADDRESS_H_
#define CARME_BACKEND_IDENTITY_THROTTLE_ADDRESS_H_

#include <array>
#include <string>
#include <string_view>

namespace carme::backend {

// The part of an address that one client can hardly change: all of IPv4, the
// first 64 bits of IPv6. What is no address stays as it is.
std::string ThrottledAddress(std::string_view address);

// Whoever has one IPv6 network has all the smaller ones in it for nothing. So
// each size in which they are given away is counted: /56 to a home, /48 to a
// company or anybody with a tunnel, /32 to a provider, or to whoever calls
// themselves one. Those between (/60, /52, /44, /40) are at most 16 of the next
// smaller and have at most 16 times its tries. Empty strings for IPv4, whose
// addresses cost something, one by one.
inline constexpr std::array<int, 3> kThrottledPrefixes = {56, 48, 32};
std::array<std::string, 3> ThrottledNetworks(std::string_view address);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_THROTTLE_ADDRESS_H_
