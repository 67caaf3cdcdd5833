#include "slurm-hooks/sampler/metrics_socket.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"

namespace carme::sampler {
namespace {

constexpr size_t kPackets = 32;  // of one system call
constexpr size_t kMaxPacketBytes = 8192;

}  // namespace

std::string MetricsSocketPath(const std::string& directory) {
  return absl::StrCat(directory, "/metrics.sock");
}

MetricsSocket::MetricsSocket(std::string path, UniqueFd socket, UniqueFd stop,
                             ProgramMetrics* metrics)
    : path_(std::move(path)),
      socket_(std::move(socket)),
      stop_(std::move(stop)),
      metrics_(metrics) {
  thread_ = std::thread([this] { Receive(); });
}

MetricsSocket::~MetricsSocket() {
  const uint64_t one = 1;
  // An eventfd accepts it: the counter is far from full.
  [[maybe_unused]] const ssize_t put = write(stop_.get(), &one, sizeof one);
  thread_.join();
  unlink(path_.c_str());
}

absl::StatusOr<std::unique_ptr<MetricsSocket>> MetricsSocket::Open(
    const std::string& path, ProgramMetrics* metrics) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string what = absl::StrCat("listen on \"", path, "\"");
  if (path.size() >= sizeof address.sun_path) {
    return ErrnoError(ENAMETOOLONG, what);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd socket(
      ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  UniqueFd stop(eventfd(0, EFD_CLOEXEC));
  if (!socket.valid() || !stop.valid()) return ErrnoError(errno, what);
  unlink(path.c_str());
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address),
           sizeof address) != 0) {
    return ErrnoError(errno, what);
  }
  return std::unique_ptr<MetricsSocket>(
      new MetricsSocket(path, std::move(socket), std::move(stop), metrics));
}

void MetricsSocket::Receive() {
  std::vector<char> bytes(kPackets * kMaxPacketBytes);
  std::array<iovec, kPackets> places;
  std::array<mmsghdr, kPackets> packets;
  while (true) {
    for (size_t i = 0; i < kPackets; ++i) {
      places[i] = {.iov_base = bytes.data() + i * kMaxPacketBytes,
                   .iov_len = kMaxPacketBytes};
      packets[i] = {};
      packets[i].msg_hdr.msg_iov = &places[i];
      packets[i].msg_hdr.msg_iovlen = 1;
    }
    const int count = recvmmsg(socket_.get(), packets.data(), kPackets,
                               MSG_DONTWAIT, nullptr);
    const int64_t now_ns = absl::GetCurrentTimeNanos();
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(i);
      if ((packets[at].msg_hdr.msg_flags & MSG_TRUNC) != 0) {
        metrics_->CountUnread(1);
        continue;
      }
      metrics_->AddPacket({bytes.data() + at * kMaxPacketBytes,
                           static_cast<size_t>(packets[at].msg_len)},
                          now_ns);
    }
    std::array<pollfd, 2> ready = {
        {{.fd = socket_.get(), .events = POLLIN, .revents = 0},
         {.fd = stop_.get(), .events = POLLIN, .revents = 0}}};
    // A flood must not keep the thread from ending.
    if (poll(ready.data(), ready.size(), count > 0 ? 0 : -1) < 0 &&
        errno != EINTR) {
      return;
    }
    if (ready[1].revents != 0) return;
  }
}

}  // namespace carme::sampler
