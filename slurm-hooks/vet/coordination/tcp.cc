#include "slurm-hooks/vet/coordination/tcp.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/listen.h"
#include "common/status.h"
#include "slurm-hooks/vet/coordination/messages.h"

namespace carme::vet {
namespace {

struct Free {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};

absl::Status TimedOut() {
  return absl::DeadlineExceededError(std::strerror(ETIMEDOUT));
}

// OK when one of the events is there, or the socket has an error.
absl::Status WaitUntil(int fd, short events, absl::Time deadline) {
  while (true) {
    const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
    pollfd waiting{fd, events, 0};
    const int ready =
        poll(&waiting, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready > 0) return absl::OkStatus();
    if (ready == 0) return TimedOut();
    if (errno != EINTR) return ErrnoError(errno, "poll");
  }
}

absl::StatusOr<UniqueFd> ConnectTo(const addrinfo& address,
                                   absl::Time deadline) {
  UniqueFd fd(
      socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return absl::UnavailableError(std::strerror(errno));
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd.get(), address.ai_addr, address.ai_addrlen) == 0) return fd;
  if (errno != EINPROGRESS) {
    return absl::UnavailableError(std::strerror(errno));
  }
  RETURN_IF_ERROR(WaitUntil(fd.get(), POLLOUT, deadline));
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return absl::UnavailableError(std::strerror(error));
  return fd;
}

std::string TextOf(const sockaddr_storage& address, socklen_t size) {
  if (address.ss_family != AF_INET && address.ss_family != AF_INET6) return "";
  char text[NI_MAXHOST] = "";
  getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, text,
              sizeof text, nullptr, 0, NI_NUMERICHOST);
  std::string name = text;
  // an IPv4 peer of a socket of both families
  constexpr std::string_view kMapped = "::ffff:";
  if (name.starts_with(kMapped)) name.erase(0, kMapped.size());
  return name;
}

}  // namespace

absl::StatusOr<UniqueFd> ConnectTcp(const std::string& host, int port,
                                    absl::Time deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(host.c_str(), absl::StrCat(port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat(host, ": ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, Free> addresses(found);
  absl::Status last = absl::UnavailableError("no address");
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    auto fd = ConnectTo(*at, deadline);
    if (fd.ok()) return fd;
    last = fd.status();
  }
  return last;
}

absl::Status SendAll(int fd, std::string_view bytes, absl::Time deadline) {
  while (!bytes.empty()) {
    const ssize_t put = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put > 0) {
      bytes.remove_prefix(static_cast<size_t>(put));
    } else if (errno == EAGAIN) {
      RETURN_IF_ERROR(WaitUntil(fd, POLLOUT, deadline));
    } else if (errno != EINTR) {
      return absl::UnavailableError(std::strerror(errno));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReceiveExactly(int fd, size_t size,
                                           absl::Time deadline) {
  std::string bytes(size, '\0');
  for (size_t at = 0; at < size;) {
    const ssize_t got = recv(fd, bytes.data() + at, size - at, 0);
    if (got > 0) {
      at += static_cast<size_t>(got);
    } else if (got == 0) {
      return MakePlainError(coordination_messages::kClosed);
    } else if (errno == EAGAIN) {
      RETURN_IF_ERROR(WaitUntil(fd, POLLIN, deadline));
    } else if (errno != EINTR) {
      return absl::UnavailableError(std::strerror(errno));
    }
  }
  return bytes;
}

std::string LocalAddress(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return TextOf(address, size);
}

std::string PeerAddress(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return TextOf(address, size);
}

absl::StatusOr<UniqueFd> ListenEverywhere(int port) {
  // IPv6 with IPv4, or IPv4 alone where the kernel has no IPv6
  auto fd = ListenTcp(absl::StrCat("[::]:", port), SOMAXCONN);
  return fd.ok() ? std::move(fd)
                 : ListenTcp(absl::StrCat("0.0.0.0:", port), SOMAXCONN);
}

}  // namespace carme::vet
