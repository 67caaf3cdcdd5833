// A list of IP networks, to check whether an address is in one of them.
#ifndef CARME_COMMON_NET_NETWORKS_H_
#define CARME_COMMON_NET_NETWORKS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/address.h"

namespace carme::net {

// A value. An IPv4 address and its IPv4-mapped IPv6 form are equal.
class Networks {
 public:
  // "10.0.0.0/8", "2001:db8::/32"; an address is a network of one.
  // INVALID_ARGUMENT: malformed, or bits after the prefix are set.
  static absl::StatusOr<Networks> Parse(const std::vector<std::string>& list);

  // False for a unix path.
  bool Contains(const Address& address) const;
  bool empty() const { return networks_.empty(); }

 private:
  using Bytes = std::array<uint8_t, 16>;
  struct Network {
    Bytes bytes{};
    int bits = 0;
  };
  static bool ToBytes(const Address& address, Bytes* bytes);
  static bool SameStart(const Bytes& a, const Bytes& b, int bits);

  std::vector<Network> networks_;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_NETWORKS_H_
