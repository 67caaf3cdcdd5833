#include "common/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr int kFirstListenFd = 3;  // SD_LISTEN_FDS_START
constexpr int kMaxListenFds = 16;

int IntFromEnvironment(const char* name) {
  const char* text = std::getenv(name);
  int value = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &value)) return -1;
  return value;
}

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

// Without getaddrinfo(), which programs that are linked statically cannot use.
absl::StatusOr<SocketAddress> Parse(std::string_view address) {
  const auto invalid = [&](const char* expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        "address \"", std::string(address), "\": expected ", expected));
  };
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return invalid("host:port");
  std::string host(address.substr(0, colon));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  int port = 0;
  if (!absl::SimpleAtoi(std::string(address.substr(colon + 1)), &port) ||
      port < 0 || port > 65535) {
    return invalid("a port from 0 to 65535");
  }
  SocketAddress parsed;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&parsed.storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&parsed.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    parsed.size = sizeof *v4;
  } else if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    parsed.size = sizeof *v6;
  } else {
    return invalid("a literal IPv4 or IPv6 address");
  }
  return parsed;
}

}  // namespace

std::vector<UniqueFd> TakeListenFds() {
  std::vector<UniqueFd> fds;
  for (NamedFd& one : TakeNamedListenFds()) fds.push_back(std::move(one.fd));
  return fds;
}

std::vector<NamedFd> TakeNamedListenFds() {
  std::vector<NamedFd> fds;
  const char* text = std::getenv("LISTEN_FDNAMES");
  const std::vector<std::string> names =
      absl::StrSplit(text != nullptr ? text : "", ':');
  const int count = IntFromEnvironment("LISTEN_FDS");
  const bool ours = IntFromEnvironment("LISTEN_PID") == getpid();
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_PID");
  unsetenv("LISTEN_FDNAMES");
  if (!ours || count < 1 || count > kMaxListenFds) return fds;
  for (int fd = kFirstListenFd; fd < kFirstListenFd + count; ++fd) {
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) continue;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    const auto index = static_cast<size_t>(fd - kFirstListenFd);
    fds.push_back({index < names.size() ? names[index] : "", UniqueFd(fd)});
  }
  return fds;
}

absl::StatusOr<UniqueFd> ListenTcp(std::string_view address, int backlog) {
  ASSIGN_OR_RETURN(const SocketAddress parsed, Parse(address));
  UniqueFd fd(socket(parsed.storage.ss_family,
                     SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return ErrnoError(errno, "socket");
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&parsed.storage),
           parsed.size) != 0 ||
      listen(fd.get(), backlog) != 0) {
    return ErrnoError(errno,
                      absl::StrCat("listen on \"", std::string(address), "\""));
  }
  return fd;
}

absl::StatusOr<int> PortOf(int fd) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) {
    return ErrnoError(errno, "getsockname");
  }
  if (storage.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<sockaddr_in*>(&storage)->sin_port);
  }
  return ntohs(reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port);
}

}  // namespace carme
