#include "proxy/upstream/tcp_keepalive.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace carme::proxy {
namespace {

constexpr int kProbes = 4;

void Set(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof value);
}

}  // namespace

void SetTcpKeepalive(int fd, absl::Duration timeout) {
  if (timeout == absl::InfiniteDuration()) return;
  const auto seconds = static_cast<int>(absl::ToInt64Seconds(timeout));
  const int between = std::max(1, seconds / (2 * kProbes));
  Set(fd, IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, seconds - kProbes * between));
  Set(fd, IPPROTO_TCP, TCP_KEEPINTVL, between);
  Set(fd, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  Set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
}

}  // namespace carme::proxy
