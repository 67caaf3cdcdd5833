#include "slurm-hooks/process/packet_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/process/messages.h"

namespace carme::node {
namespace {

constexpr int kKind = SOCK_SEQPACKET | SOCK_CLOEXEC;
constexpr int kQueue = 4;

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return MakePlainError(process_messages::kSocketPath,
                          {{"path", path},
                           {"length", path.size()},
                           {"max", sizeof address.sun_path - 1}});
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

union Control {
  cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(int) * kMaxDescriptors)];
};

std::vector<UniqueFd> DescriptorsOf(msghdr* message) {
  std::vector<UniqueFd> descriptors;
  for (cmsghdr* head = CMSG_FIRSTHDR(message); head != nullptr;
       head = CMSG_NXTHDR(message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return descriptors;
}

}  // namespace

absl::StatusOr<UniqueFd> ListenForPackets(const std::string& path) {
  const std::string what = absl::StrCat("listen on \"", path, "\"");
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  UniqueFd fd(socket(AF_UNIX, kKind, 0));
  if (!fd.valid()) return ErrnoError(errno, what);
  // bind(2) creates the file with the mode of the descriptor.
  if (fchmod(fd.get(), 0600) != 0 ||
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address),
           sizeof address) != 0) {
    if (errno == EADDRINUSE) {
      return MakePlainError(process_messages::kSocketInUse,
                            {{"subject", what}});
    }
    return ErrnoError(errno, what);
  }
  if (listen(fd.get(), kQueue) != 0) return ErrnoError(errno, what);
  return fd;
}

absl::StatusOr<UniqueFd> ConnectForPackets(const std::string& path) {
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  UniqueFd fd(socket(AF_UNIX, kKind, 0));
  if (!fd.valid() ||
      connect(fd.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof address) != 0) {
    return ErrnoError(errno, absl::StrCat("connect to \"", path, "\""));
  }
  return fd;
}

absl::Status SendPacket(int fd, std::string_view bytes,
                        const std::vector<int>& descriptors) {
  if (bytes.size() > kMaxPacketBytes || descriptors.size() > kMaxDescriptors) {
    return absl::OutOfRangeError(
        absl::StrCat("packet of ", bytes.size(), " bytes and ",
                     descriptors.size(), " descriptors: expected at most ",
                     kMaxPacketBytes, " and ", kMaxDescriptors));
  }
  iovec data{const_cast<char*>(bytes.data()), bytes.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const size_t size = descriptors.size() * sizeof(int);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(head), descriptors.data(), size);
  }
  ssize_t sent = -1;
  do {
    sent = sendmsg(fd, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("send a packet: ", std::strerror(errno)));
}

absl::StatusOr<std::optional<Packet>> ReceivePacket(int fd) {
  Packet packet;
  packet.bytes.resize(kMaxPacketBytes);
  iovec data{packet.bytes.data(), packet.bytes.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t got = -1;
  do {
    got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    if (errno == ECONNRESET) return std::nullopt;
    return absl::UnavailableError(
        absl::StrCat("receive a packet: ", std::strerror(errno)));
  }
  packet.descriptors = DescriptorsOf(&message);
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    return absl::OutOfRangeError(
        absl::StrCat("packet is too long: expected at most ", kMaxPacketBytes,
                     " bytes and ", kMaxDescriptors, " descriptors"));
  }
  // No sender sends empty packets: an empty packet is the end of the
  // connection.
  if (got == 0) return std::nullopt;
  packet.bytes.resize(static_cast<size_t>(got));
  return packet;
}

}  // namespace carme::node
