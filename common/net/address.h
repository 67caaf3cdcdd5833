// A socket address: an IPv4 or IPv6 literal with a port, or a unix path.
#ifndef CARME_COMMON_NET_ADDRESS_H_
#define CARME_COMMON_NET_ADDRESS_H_

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme::net {

// A value. Host names are not resolved.
class Address {
 public:
  // "10.0.0.1:443", "[::1]:443". INVALID_ARGUMENT.
  static absl::StatusOr<Address> Parse(std::string_view text);
  // A literal without brackets, and a port. INVALID_ARGUMENT.
  static absl::StatusOr<Address> FromIp(std::string_view ip, uint32_t port);
  // INVALID_ARGUMENT: empty, or too long for a unix address.
  static absl::StatusOr<Address> FromPath(std::string_view path);
  static Address FromSockaddr(const sockaddr* address, socklen_t size);

  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&storage_);
  }
  socklen_t size() const { return size_; }
  int family() const { return storage_.ss_family; }
  uint16_t port() const;  // 0 for a path

  friend bool operator==(const Address& a, const Address& b);
  std::string ToString() const;
  // The literal without the port; an IPv4-mapped IPv6 address as IPv4; "unix"
  // for a path.
  std::string Ip() const;

 private:
  Address() = default;
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_ADDRESS_H_
