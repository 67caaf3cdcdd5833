#include "slurm-hooks/agent/job/node_listener.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/random.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/messages.h"

namespace carme::agent {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

absl::StatusOr<AddressList> LookUp(const std::string& peer) {
  const size_t colon = peer.rfind(':');
  std::string host = peer.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  const int error =
      getaddrinfo(host.c_str(), peer.substr(colon + 1).c_str(), &hints, &list);
  if (error != 0) {
    return MakePlainError(agent_job_messages::kHostNotFound,
                          {{"host", host}, {"cause", gai_strerror(error)}});
  }
  return AddressList(list, freeaddrinfo);
}

}  // namespace

absl::StatusOr<net::Address> LocalAddressTowards(const std::string& peer) {
  ASSIGN_OR_RETURN(const AddressList list, LookUp(peer));
  int error = EADDRNOTAVAIL;
  for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
    // Connecting a datagram socket only consults the routing table.
    UniqueFd fd(socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage local{};
    socklen_t size = sizeof local;
    auto* raw = reinterpret_cast<sockaddr*>(&local);
    if (fd.valid() && connect(fd.get(), at->ai_addr, at->ai_addrlen) == 0 &&
        getsockname(fd.get(), raw, &size) == 0) {
      return net::Address::FromSockaddr(raw, size);
    }
    error = errno;
  }
  return ErrnoError(error, absl::StrCat("find a route to \"", peer, "\""));
}

absl::StatusOr<NodeListener> BindInRange(const net::Address& node,
                                         int port_first, int port_last) {
  const int count = port_last - port_first + 1;
  uint32_t random = 0;
  std::memcpy(&random, RandomBytes(sizeof random).data(), sizeof random);
  const int start = static_cast<int>(random % static_cast<uint32_t>(count));
  int error = 0;
  for (int i = 0; i < count; ++i) {
    const auto port = static_cast<uint32_t>(port_first + (start + i) % count);
    ASSIGN_OR_RETURN(const net::Address address,
                     net::Address::FromIp(node.Ip(), port));
    UniqueFd fd(socket(address.family(),
                       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd.valid()) return ErrnoError(errno, "socket");
    // Without SO_REUSEADDR: another process could bind it before Listen.
    if (bind(fd.get(), address.get(), address.size()) == 0) {
      return NodeListener{std::move(fd), address.port()};
    }
    error = errno;
  }
  return MakePlainError(agent_job_messages::kNoFreePort,
                        {{"first", port_first},
                         {"last", port_last},
                         {"address", node.Ip()},
                         {"cause", ErrnoError(error, "bind").message()}});
}

absl::Status Listen(const NodeListener& listener) {
  if (listen(listener.fd.get(), SOMAXCONN) == 0) return absl::OkStatus();
  return ErrnoError(errno, absl::StrCat("listen on port ", listener.port));
}

}  // namespace carme::agent
