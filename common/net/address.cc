#include "common/net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <cstddef>
#include <cstring>

namespace carme::net {
namespace {

absl::Status NotAnAddress(std::string_view text) {
  return absl::InvalidArgumentError(
      "address \"" + std::string(text) +
      "\": expected an IP address and a port, as in \"10.0.0.1:443\" or "
      "\"[::1]:443\"");
}

}  // namespace

absl::StatusOr<Address> Address::Parse(std::string_view text) {
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return NotAnAddress(text);
  std::string_view host = text.substr(0, colon);
  std::string_view digits = text.substr(colon + 1);
  const bool brackets =
      host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  if (brackets != (host.find(':') != std::string_view::npos)) {
    return NotAnAddress(text);
  }
  uint32_t port = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return NotAnAddress(text);
  }
  auto address = FromIp(host, port);
  if (!address.ok()) return NotAnAddress(text);
  return address;
}

absl::StatusOr<Address> Address::FromIp(std::string_view ip, uint32_t port) {
  Address address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage_);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage_);
  const std::string text(ip);
  // inet_pton would ignore the characters after a NUL.
  if (port > 65535 || text.find('\0') != std::string::npos) {
    return NotAnAddress(text);
  }
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    address.size_ = sizeof *v4;
  } else if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    address.size_ = sizeof *v6;
  } else {
    return NotAnAddress(text);
  }
  return address;
}

absl::StatusOr<Address> Address::FromPath(std::string_view path) {
  Address address;
  auto* local = reinterpret_cast<sockaddr_un*>(&address.storage_);
  if (path.empty() || path.size() >= sizeof local->sun_path ||
      path.find('\0') != std::string_view::npos) {
    return absl::InvalidArgumentError("socket path \"" + std::string(path) +
                                      "\": expected 1 to 107 bytes");
  }
  local->sun_family = AF_UNIX;
  std::memcpy(local->sun_path, path.data(), path.size());
  address.size_ =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return address;
}

Address Address::FromSockaddr(const sockaddr* from, socklen_t size) {
  Address address;
  if (size > sizeof address.storage_) size = sizeof address.storage_;
  std::memcpy(&address.storage_, from, size);
  address.size_ = size;
  return address;
}

uint16_t Address::port() const {
  if (family() == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
  }
  if (family() == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
  }
  return 0;
}

bool operator==(const Address& a, const Address& b) {
  return a.size_ == b.size_ &&
         std::memcmp(&a.storage_, &b.storage_, a.size_) == 0;
}

std::string Address::Ip() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (family() == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&storage_);
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
  } else if (family() == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&storage_);
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
      inet_ntop(AF_INET, v6->sin6_addr.s6_addr + 12, text, sizeof text);
    } else {
      inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
    }
  } else {
    return "unix";
  }
  return text;
}

std::string Address::ToString() const {
  if (family() == AF_UNIX) {
    return reinterpret_cast<const sockaddr_un*>(&storage_)->sun_path;
  }
  std::string ip = Ip();
  if (ip.find(':') != std::string::npos) ip = "[" + ip + "]";
  return ip + ":" + std::to_string(port());
}

}  // namespace carme::net
