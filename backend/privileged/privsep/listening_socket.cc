#include "backend/privileged/privsep/listening_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backend/privileged/privsep/messages.h"
#include "common/listen.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr int kBacklog = 64;
constexpr absl::Duration kExitGrace = absl::Milliseconds(500);

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return MakePlainError(privsep_messages::kSocketPathTooLong,
                          {{"path", path}, {"max", sizeof address.sun_path}});
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

UniqueFd NewSocket() {
  return UniqueFd(
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool IsListening(const sockaddr_un& address) {
  const UniqueFd probe = NewSocket();
  return connect(probe.get(), reinterpret_cast<const sockaddr*>(&address),
                 sizeof address) == 0 ||
         errno != ECONNREFUSED;
}

// A socket that refuses connections is left from a dead process.
absl::Status RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return MakePlainError(privsep_messages::kNotASocket, {{"path", path}});
  }
  // The children of a process that was just killed need a moment to end.
  const absl::Time deadline = absl::Now() + kExitGrace;
  while (IsListening(address)) {
    if (absl::Now() >= deadline) {
      return MakePlainError(privsep_messages::kSocketInUse, {{"path", path}});
    }
    absl::SleepFor(absl::Milliseconds(20));
  }
  return unlink(path.c_str()) == 0
             ? absl::OkStatus()
             : ErrnoError(errno, absl::StrCat("remove \"", path, "\""));
}

}  // namespace

absl::StatusOr<UniqueFd> ListenUnix(const std::string& path, gid_t gid) {
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  const std::string what = absl::StrCat("listen on \"", path, "\"");
  const std::string directory = path.substr(0, path.rfind('/'));
  if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
    return ErrnoError(errno, absl::StrCat("create \"", directory, "\""));
  }
  RETURN_IF_ERROR(RemoveStale(path, address));
  UniqueFd fd = NewSocket();
  if (!fd.valid()) return ErrnoError(errno, "socket");
  // No process may connect before owner and mode are set.
  const mode_t before = umask(0777);
  const int bound = bind(fd.get(), reinterpret_cast<const sockaddr*>(&address),
                         sizeof address);
  const int error = errno;
  umask(before);
  if (bound != 0) return ErrnoError(error, what);
  if (chown(path.c_str(), 0, gid) != 0 || chmod(path.c_str(), 0660) != 0 ||
      listen(fd.get(), kBacklog) != 0) {
    return ErrnoError(errno, what);
  }
  return fd;
}

absl::StatusOr<UniqueFd> InheritOrListen(const std::string& path, gid_t gid) {
  std::vector<UniqueFd> inherited = TakeListenFds();
  if (inherited.empty()) return ListenUnix(path, gid);
  if (inherited.size() == 1) return std::move(inherited[0]);
  return MakePlainError(privsep_messages::kOneSocketExpected,
                        {{"sockets", inherited.size()}});
}

}  // namespace carme
