#include "backend/notifications/delivery/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/numbers.h"

namespace carme::backend {
namespace {

constexpr int kMappedBits = 96;

RawAddress Mapped(const in_addr& address) {
  RawAddress raw{};
  raw[10] = raw[11] = 0xff;
  std::memcpy(raw.data() + 12, &address, 4);
  return raw;
}

bool IsAmong(const std::vector<Network>& networks, const RawAddress& address) {
  return std::any_of(
      networks.begin(), networks.end(),
      [&](const Network& network) { return network.Has(address); });
}

std::vector<Network> ParseAll(const std::vector<std::string>& texts) {
  std::vector<Network> networks;
  for (const std::string& text : texts) {
    networks.push_back(ParseNetwork(text).value());
  }
  return networks;
}

const std::vector<Network>& NotPublic() {
  static const std::vector<Network> networks = ParseAll(
      {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8",
       "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
       "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
       "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
       "224.0.0.0/4", "240.0.0.0/4",
       // within the allocated IPv6 space
       "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48",
       "3fff::/20"});
  return networks;
}

// The allocated unicast addresses of IPv6, and all of IPv4.
const std::vector<Network>& GivenOut() {
  static const std::vector<Network> networks =
      ParseAll({"0.0.0.0/0", "2000::/3"});
  return networks;
}

const std::vector<Network>& NotOrdinary() {
  static const std::vector<Network> networks =
      ParseAll({"0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4",
                "::/128", "fe80::/10", "ff00::/8", "fd00:ec2::/32"});
  return networks;
}

}  // namespace

std::optional<RawAddress> RawAddressOf(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof(in));
    return Mapped(in.sin_addr);
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, address, sizeof(in));
    RawAddress raw{};
    std::memcpy(raw.data(), &in.sin6_addr, raw.size());
    return raw;
  }
  return std::nullopt;
}

bool Network::Has(const RawAddress& other) const {
  for (int bit = 0; bit < bits; ++bit) {
    const uint8_t mask = static_cast<uint8_t>(0x80 >> (bit % 8));
    if ((address[bit / 8] & mask) != (other[bit / 8] & mask)) return false;
  }
  return true;
}

std::optional<Network> ParseNetwork(const std::string& text) {
  const size_t slash = text.find('/');
  const std::string literal = text.substr(0, slash);
  Network network;
  int max = 32;
  in_addr four{};
  if (inet_pton(AF_INET, literal.c_str(), &four) == 1) {
    network.address = Mapped(four);
  } else if (inet_pton(AF_INET6, literal.c_str(), network.address.data()) ==
             1) {
    max = 128;
  } else {
    return std::nullopt;
  }
  int bits = max;
  if (slash != std::string::npos &&
      (!absl::SimpleAtoi(text.substr(slash + 1), &bits) || bits < 0 ||
       bits > max)) {
    return std::nullopt;
  }
  network.bits = max == 32 ? bits + kMappedBits : bits;
  for (int bit = network.bits; bit < 128; ++bit) {
    if ((network.address[bit / 8] & (0x80 >> (bit % 8))) != 0) {
      return std::nullopt;
    }
  }
  return network;
}

bool IsPublic(const RawAddress& address) {
  return IsAmong(GivenOut(), address) && !IsAmong(NotPublic(), address);
}

bool IsOrdinary(const RawAddress& address) {
  return !IsAmong(NotOrdinary(), address);
}

}  // namespace carme::backend
