#include "common/monitoring/health_check.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "common/monitoring/messages.h"
#include "common/net/address.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme {
namespace {

constexpr size_t kMaxResponseBytes = 4096;
constexpr std::string_view kRequest =
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

absl::Status Unreachable(const std::string& address, int error) {
  // A timeout of a socket is EAGAIN or EINPROGRESS.
  if (error == EAGAIN || error == EINPROGRESS) error = ETIMEDOUT;
  return MakePlainError(monitoring_messages::kUnreachable,
                        {{"address", address}, {"error", strerror(error)}});
}

// The end of the response after the head, or all of it.
std::string_view BodyOf(std::string_view response) {
  const size_t end = response.find("\r\n\r\n");
  return end == std::string_view::npos ? response : response.substr(end + 4);
}

}  // namespace

absl::Status CheckHealth(const std::string& metrics_listen,
                         absl::Duration timeout) {
  if (metrics_listen.empty()) {
    return MakePlainError(monitoring_messages::kNoAddress, {{"port", 9480}});
  }
  // 0.0.0.0 and [::] are this host, as addresses to connect to, too.
  ASSIGN_OR_RETURN(const net::Address address,
                   net::Address::Parse(metrics_listen));
  const UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit = absl::ToTimeval(timeout);
  if (!fd.valid() ||
      setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) !=
          0 ||
      setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) !=
          0) {
    return ErrnoError(errno, "open a socket");
  }
  if (connect(fd.get(), address.get(), address.size()) != 0 ||
      send(fd.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(kRequest.size())) {
    return Unreachable(metrics_listen, errno);
  }
  std::string response;
  char buffer[1024];
  while (response.size() < kMaxResponseBytes) {
    const ssize_t got = recv(fd.get(), buffer, sizeof buffer, 0);
    if (got < 0) return Unreachable(metrics_listen, errno);
    if (got == 0) break;
    response.append(buffer, static_cast<size_t>(got));
  }
  if (response.starts_with("HTTP/1.1 200 ")) return absl::OkStatus();
  if (response.empty()) return Unreachable(metrics_listen, ECONNRESET);
  std::string_view body = BodyOf(response);
  while (!body.empty() && body.back() == '\n') body.remove_suffix(1);
  return MakePlainError(
      monitoring_messages::kUnhealthy,
      {{"address", metrics_listen}, {"response", PlainText(body, 200)}});
}

}  // namespace carme
