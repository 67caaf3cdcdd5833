#include "tests/support/servers/private_host.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "common/unique_fd.h"

namespace carme {
namespace {

constexpr char kNscd[] = "/run/nscd";

void Require(int result, const std::string& what) {
  if (result == 0) return;
  throw std::runtime_error(absl::StrCat(what, ": ", std::strerror(errno)));
}

}  // namespace

void EnterPrivateHost() {
  Require(unshare(CLONE_NEWNET | CLONE_NEWNS), "a host of the test's own");
  Require(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr),
          "mounts of the test's own");
  // The name service's cache would answer for the host that was left.
  if (access(kNscd, F_OK) == 0) {
    Require(mount("none", kNscd, "tmpfs", 0, "size=1m"), kNscd);
  }
  const UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback = {};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  Require(ioctl(fd.get(), SIOCSIFFLAGS, &loopback), "loopback");
}

void CoverPath(const std::string& path, const std::string& file) {
  Require(mount(file.c_str(), path.c_str(), nullptr, MS_BIND, nullptr), path);
}

}  // namespace carme
