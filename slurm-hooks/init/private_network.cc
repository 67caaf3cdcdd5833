#include "slurm-hooks/init/private_network.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::node {
namespace {

absl::Status Put(const char* path, const std::string& text) {
  const UniqueFd fd(open(path, O_WRONLY | O_CLOEXEC));
  if (!fd.valid() || write(fd.get(), text.data(), text.size()) !=
                         static_cast<ssize_t>(text.size())) {
    return ErrnoError(errno, absl::StrCat("write \"", path, "\""));
  }
  return absl::OkStatus();
}

absl::Status RaiseLoopback() {
  const UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (!fd.valid() || ioctl(fd.get(), SIOCSIFFLAGS, &request) != 0) {
    return ErrnoError(errno, "raise the loopback interface");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status EnterPrivateNetwork() {
  const uid_t uid = getuid();
  const gid_t gid = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
    return ErrnoError(errno, "make a private network");
  }
  RETURN_IF_ERROR(Put("/proc/self/setgroups", "deny"));
  RETURN_IF_ERROR(Put("/proc/self/uid_map", absl::StrCat(uid, " ", uid, " 1")));
  RETURN_IF_ERROR(Put("/proc/self/gid_map", absl::StrCat(gid, " ", gid, " 1")));
  return RaiseLoopback();
}

}  // namespace carme::node
