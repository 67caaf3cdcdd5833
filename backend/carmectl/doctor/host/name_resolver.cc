#include "backend/carmectl/doctor/host/name_resolver.h"

#include <netdb.h>
#include <sys/socket.h>

#include <memory>

#include "backend/carmectl/doctor/host/messages.h"

namespace carme::carmectl {

absl::StatusOr<std::vector<net::Address>> SystemNameResolver::Resolve(
    const std::string& host, int port) const {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int error =
      getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first);
  if (error != 0) {
    return MakePlainError(doctor_host_messages::kNameWithoutAddress,
                          {{"host", host}, {"cause", gai_strerror(error)}});
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(first,
                                                               &freeaddrinfo);
  std::vector<net::Address> addresses;
  for (const addrinfo* each = first; each != nullptr; each = each->ai_next) {
    addresses.push_back(
        net::Address::FromSockaddr(each->ai_addr, each->ai_addrlen));
  }
  return addresses;
}

}  // namespace carme::carmectl
