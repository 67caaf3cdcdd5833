#include "slurm-hooks/web_app/app_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/web_app/messages.h"

namespace carme::web_app {

absl::StatusOr<UniqueFd> ListenAppSocket(const std::string& path, int backlog) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return MakePlainError(
        web_app_messages::kSocketPath,
        {{"path", path}, {"max", sizeof address.sun_path - 1}});
  }
  struct stat old {};
  if (lstat(path.c_str(), &old) == 0 && S_ISSOCK(old.st_mode)) {
    unlink(path.c_str());
  }
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return ErrnoError(errno, "create a socket");
  const mode_t before = umask(0177);
  const int bound =
      bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  const int error = errno;
  umask(before);
  if (bound != 0 || listen(fd.get(), backlog) != 0) {
    return ErrnoError(bound != 0 ? error : errno,
                      absl::StrCat("listen at \"", path, "\""));
  }
  return fd;
}

}  // namespace carme::web_app
