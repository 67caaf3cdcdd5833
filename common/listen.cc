#include "common/listen.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr int kFirstListenFd = 3;  // SD_LISTEN_FDS_START
constexpr int kMostListenFds = 16;

int IntFromEnvironment(const char* name) {
  const char* text = std::getenv(name);
  int value = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &value)) return -1;
  return value;
}

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

absl::StatusOr<AddressList> Resolve(std::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "address \"", std::string(address), "\": expected host:port"));
  }
  std::string host(address.substr(0, colon));
  const std::string port(address.substr(colon + 1));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  if (error != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "address \"", std::string(address), "\": ", gai_strerror(error)));
  }
  return AddressList(list, freeaddrinfo);
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
  if (!ours || count < 1 || count > kMostListenFds) return fds;
  for (int fd = kFirstListenFd; fd < kFirstListenFd + count; ++fd) {
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) continue;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    const auto index = static_cast<size_t>(fd - kFirstListenFd);
    fds.push_back({index < names.size() ? names[index] : "", UniqueFd(fd)});
  }
  return fds;
}

absl::StatusOr<UniqueFd> ListenTcp(std::string_view address, int backlog) {
  ASSIGN_OR_RETURN(const AddressList list, Resolve(address));
  UniqueFd fd(
      socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return ErrnoError(errno, "socket");
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd.get(), list->ai_addr, list->ai_addrlen) != 0 ||
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
