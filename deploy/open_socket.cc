// open_socket ADDRESS PORT COMMAND…: listens on the port, or on the next free
// of the hundred after it, and becomes COMMAND with the socket as descriptor 3
// (LISTEN_FDS=1) and the port in CARME_PUBLIC_PORT. The program that accepts
// sets LISTEN_PID. Replaces a systemd socket unit in the demo: it opens the
// public port in the browser's network namespace, and the proxy accepts in
// another one.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/config/program.h"
#include "common/listen.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr int kFirstListenFd = 3;  // SD_LISTEN_FDS_START
constexpr int kTries = 100;

// Listens on the first free port from `port` on.
absl::StatusOr<UniqueFd> ListenFrom(const std::string& address, int port) {
  absl::Status last;
  for (int i = 0; i < kTries; ++i) {
    absl::StatusOr<UniqueFd> fd =
        ListenTcp(absl::StrCat(address, ":", port + i));
    if (fd.ok()) return fd;
    last = fd.status();
  }
  return last;
}

absl::Status Run(char** argv) {
  int port = 0;
  if (!absl::SimpleAtoi(argv[2], &port) || port < 1 || port > 65535 - kTries) {
    return absl::InvalidArgumentError(
        absl::StrCat("port \"", argv[2], "\": expected 1 to ", 65535 - kTries));
  }
  ASSIGN_OR_RETURN(UniqueFd fd, ListenFrom(argv[1], port));
  ASSIGN_OR_RETURN(port, PortOf(fd.get()));
  if (fd.get() == kFirstListenFd) {
    fcntl(fd.release(), F_SETFD, 0);
  } else if (dup2(fd.get(), kFirstListenFd) < 0) {
    return ErrnoError(errno, "dup2");
  }
  setenv("LISTEN_FDS", "1", 1);
  setenv("CARME_PUBLIC_PORT", std::to_string(port).c_str(), 1);
  execvp(argv[3], argv + 3);
  return ErrnoError(errno, absl::StrCat("run \"", argv[3], "\""));
}

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  if (argc < 4) {
    return carme::FailStart(
        absl::InvalidArgumentError("usage: open_socket ADDRESS PORT COMMAND…"));
  }
  return carme::FailStart(carme::Run(argv));
}
