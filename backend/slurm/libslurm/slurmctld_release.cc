#include "backend/slurm/libslurm/slurmctld_release.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "common/unique_fd.h"

namespace carme {
namespace {

constexpr int kTimeoutMs = 1000;
constexpr size_t kHeadBytes = 6;  // length and version
constexpr uint32_t kMaxLength = 64 * 1024;
// A length of two bytes, and version 0.
constexpr std::array<char, kHeadBytes> kMessageOfNoRelease = {0, 0, 0, 2, 0, 0};

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};

bool AwaitEvent(int fd, int16_t event) {
  pollfd polled = {.fd = fd, .events = event, .revents = 0};
  return poll(&polled, 1, kTimeoutMs) == 1;
}

UniqueFd ConnectTo(const addrinfo& address) {
  UniqueFd fd(
      socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return {};
  if (connect(fd.get(), address.ai_addr, address.ai_addrlen) == 0) return fd;
  if (errno != EINPROGRESS || !AwaitEvent(fd.get(), POLLOUT)) return {};
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? std::move(fd) : UniqueFd();
}

std::string ReadHead(int fd) {
  std::string head;
  while (head.size() < kHeadBytes && AwaitEvent(fd, POLLIN)) {
    std::array<char, kHeadBytes> bytes{};
    const ssize_t count = recv(fd, bytes.data(), kHeadBytes - head.size(), 0);
    if (count <= 0) break;
    head.append(bytes.data(), static_cast<size_t>(count));
  }
  return head;
}

}  // namespace

std::string BuiltWithLibslurm() {
  constexpr SlurmRelease kRelease = {
      .year = SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
      .month = SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER)};
  return absl::StrCat(ToText(kRelease), ".",
                      SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
}

std::string LoadedLibslurm() {
  // The library's own version, whose first number is that of its messages.
  const auto release = ReleaseOfProtocol(
      static_cast<int>(SLURM_VERSION_MAJOR(slurm_api_version())));
  return release.has_value() ? ToText(*release) : "";
}

std::string LibslurmVersionText() {
  return absl::StrCat("libslurm ", LoadedLibslurm(), " (built with ",
                      BuiltWithLibslurm(), ")");
}

std::optional<SlurmRelease> ReleaseOfMessage(std::string_view bytes) {
  if (bytes.size() < kHeadBytes) return std::nullopt;
  uint32_t length = 0;
  for (size_t i = 0; i < 4; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  if (length < 2 || length > kMaxLength) return std::nullopt;
  return ReleaseOfProtocol(static_cast<unsigned char>(bytes[4]));
}

SlurmctldProbe ProbeSlurmctld(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) !=
      0) {
    return {};
  }
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(found);
  const UniqueFd fd = ConnectTo(*addresses);
  if (!fd.valid() ||
      send(fd.get(), kMessageOfNoRelease.data(), kMessageOfNoRelease.size(),
           MSG_NOSIGNAL) != static_cast<ssize_t>(kMessageOfNoRelease.size())) {
    return {};
  }
  return {.connected = true, .release = ReleaseOfMessage(ReadHead(fd.get()))};
}

// slurmctld cannot read requests of a newer release, nor libslurm responses.
bool MayBeReleaseMismatch(int error) {
  switch (error) {
    case SLURM_ERROR:  // by 22.05, instead of the next one
    case SLURM_PROTOCOL_VERSION_ERROR:
    case SLURM_PROTOCOL_AUTHENTICATION_ERROR:
    case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
    case SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR:
    case SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT:
    case ESLURM_PROTOCOL_INCOMPLETE_PACKET:
    case ECONNRESET:
      return true;
    default:
      return false;
  }
}

std::optional<std::string> FindReleaseMismatch(int error) {
  const std::optional<SlurmRelease> ours = ParseSlurmRelease(LoadedLibslurm());
  if (!MayBeReleaseMismatch(error) || !ours.has_value()) return std::nullopt;
  bool one_is_silent = false;
  for (const SlurmctldAddress& controller : SlurmctldAddresses()) {
    const SlurmctldProbe probe =
        ProbeSlurmctld(controller.host, controller.port);
    if (probe.release.has_value()) {
      if (WorksWith(*ours, *probe.release)) return std::nullopt;
      return MismatchText(LoadedLibslurm(), probe.release);
    }
    one_is_silent = one_is_silent || probe.connected;
  }
  if (!one_is_silent) return std::nullopt;
  return MismatchText(LoadedLibslurm(), std::nullopt);
}

}  // namespace carme
