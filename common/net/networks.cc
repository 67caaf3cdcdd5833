#include "common/net/networks.h"

#include <netinet/in.h>

#include <charconv>
#include <cstring>
#include <string_view>

namespace carme::net {
namespace {

constexpr int kMappedBits = 96;  // ::ffff:0:0/96

absl::Status NotANetwork(const std::string& text) {
  return absl::InvalidArgumentError(
      "network \"" + text +
      "\": expected an address, a slash and how many of its bits count, the "
      "others being zero, as in \"10.0.0.0/8\"");
}

bool ParseBits(std::string_view text, int max, int* bits) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *bits);
  return error == std::errc() && end == text.data() + text.size() &&
         *bits >= 0 && *bits <= max;
}

}  // namespace

bool Networks::ToBytes(const Address& address, Bytes* bytes) {
  if (address.family() == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.get());
    std::memcpy(bytes->data(), &v6->sin6_addr, bytes->size());
    return true;
  }
  if (address.family() != AF_INET) return false;
  const auto* v4 = reinterpret_cast<const sockaddr_in*>(address.get());
  *bytes = {};
  (*bytes)[10] = (*bytes)[11] = 0xff;
  std::memcpy(bytes->data() + 12, &v4->sin_addr, 4);
  return true;
}

bool Networks::SameStart(const Bytes& a, const Bytes& b, int bits) {
  const auto whole = static_cast<size_t>(bits / 8);
  if (std::memcmp(a.data(), b.data(), whole) != 0) return false;
  const int rest = bits % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

absl::StatusOr<Networks> Networks::Parse(const std::vector<std::string>& list) {
  Networks networks;
  for (const std::string& text : list) {
    const size_t slash = text.find('/');
    const auto address = Address::FromIp(text.substr(0, slash), 0);
    if (!address.ok()) return NotANetwork(text);
    const bool v4 = address->family() == AF_INET;
    const int max = v4 ? 32 : 128;
    Network network;
    network.bits = max;
    if (slash != std::string::npos &&
        !ParseBits(std::string_view(text).substr(slash + 1), max,
                   &network.bits)) {
      return NotANetwork(text);
    }
    if (v4) network.bits += kMappedBits;
    ToBytes(*address, &network.bytes);
    Bytes start{};
    std::memcpy(start.data(), network.bytes.data(),
                static_cast<size_t>((network.bits + 7) / 8));
    // The bits after the prefix, in its last byte and the following ones.
    if (network.bits % 8 != 0) {
      uint8_t& last = start[static_cast<size_t>(network.bits / 8)];
      last = static_cast<uint8_t>(last & (0xff << (8 - network.bits % 8)));
    }
    if (start != network.bytes) return NotANetwork(text);
    networks.networks_.push_back(network);
  }
  return networks;
}

bool Networks::Contains(const Address& address) const {
  Bytes bytes{};
  if (networks_.empty() || !ToBytes(address, &bytes)) return false;
  for (const Network& network : networks_) {
    if (SameStart(bytes, network.bytes, network.bits)) return true;
  }
  return false;
}

}  // namespace carme::net
