#include "backend/identity/login/throttle_address.h"

#include <arpa/inet.h>

#include <cstring>

#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

// `bits` is a multiple of 8.
std::string Network(in6_addr v6, int bits) {
  std::memset(&v6.s6_addr[bits / 8], 0, sizeof v6.s6_addr - bits / 8);
  char text[INET6_ADDRSTRLEN];
  return absl::StrCat(inet_ntop(AF_INET6, &v6, text, sizeof text), "/", bits);
}

}  // namespace

std::string ThrottledAddress(std::string_view address) {
  in6_addr v6;
  if (inet_pton(AF_INET6, std::string(address).c_str(), &v6) != 1) {
    return std::string(address);
  }
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    char text[INET_ADDRSTRLEN];
    return inet_ntop(AF_INET, &v6.s6_addr[12], text, sizeof text);
  }
  return Network(v6, 64);
}

std::array<std::string, 3> ThrottledNetworks(std::string_view address) {
  std::array<std::string, 3> networks;
  in6_addr v6;
  if (inet_pton(AF_INET6, std::string(address).c_str(), &v6) != 1 ||
      IN6_IS_ADDR_V4MAPPED(&v6)) {
    return networks;
  }
  for (size_t i = 0; i < networks.size(); ++i) {
    networks[i] = Network(v6, kThrottledPrefixes[i]);
  }
  return networks;
}

}  // namespace carme::backend
