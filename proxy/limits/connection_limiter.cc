#include "proxy/limits/connection_limiter.h"

#include <netinet/in.h>

#include "common/encoding.h"

namespace carme::proxy {

std::string ClientKeyOf(const net::Address& peer) {
  std::string ip = peer.Ip();
  if (peer.family() != AF_INET6 || ip.find(':') == std::string::npos) return ip;
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(peer.get());
  return HexEncode({reinterpret_cast<const char*>(&v6->sin6_addr), 8});
}

}  // namespace carme::proxy
