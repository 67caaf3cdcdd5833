// The parts of a client address by which login attempts are counted.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_THROTTLE_ADDRESS_H_
#define CARME_BACKEND_IDENTITY_LOGIN_THROTTLE_ADDRESS_H_

#include <array>
#include <string>
#include <string_view>

namespace carme::backend {

// The part of an address that a client cannot easily change: all of IPv4, the
// first 64 bits of IPv6. Returns text that is not an address unchanged.
std::string ThrottledAddress(std::string_view address);

// A client with an IPv6 network has all smaller networks in it. Attempts are
// therefore counted for each size that is commonly assigned: /56 (home), /48
// (company or tunnel), /32 (provider). A size in between (/60, /52, /44, /40)
// is at most 16 networks of the next smaller size and allows at most 16 times
// its attempts. Empty strings for IPv4.
inline constexpr std::array<int, 3> kThrottledPrefixes = {56, 48, 32};
std::array<std::string, 3> ThrottledNetworks(std::string_view address);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_THROTTLE_ADDRESS_H_
