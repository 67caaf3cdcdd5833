#include "tests/proxy/plain_client.h"

#include <sys/socket.h>

#include <cerrno>

#include "common/net/address.h"
#include "common/unique_fd.h"

namespace carme::testing {
namespace {

std::optional<std::string> Ask(const net::Address& address,
                               const std::string& bytes,
                               absl::Duration patience, bool finish) {
  const UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit = absl::ToTimeval(patience);
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (connect(fd.get(), address.get(), address.size()) != 0) {
    return std::nullopt;
  }
  // What is refused early may be closed before all of it was sent.
  send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (finish) shutdown(fd.get(), SHUT_WR);
  std::string answer;
  char buffer[16384];
  const absl::Time latest = absl::Now() + patience;
  while (absl::Now() < latest) {
    const ssize_t got = recv(fd.get(), buffer, sizeof buffer, 0);
    if (got == 0 || (got < 0 && errno == ECONNRESET)) return answer;
    if (got < 0) return std::nullopt;
    answer.append(buffer, static_cast<size_t>(got));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> AskPlain(int port, const std::string& bytes,
                                    absl::Duration patience, bool finish) {
  return Ask(*net::Address::FromIp("127.0.0.1", static_cast<uint32_t>(port)),
             bytes, patience, finish);
}

std::optional<std::string> AskUnix(const std::string& path,
                                   const std::string& bytes,
                                   absl::Duration patience) {
  return Ask(*net::Address::FromPath(path), bytes, patience, false);
}

}  // namespace carme::testing
