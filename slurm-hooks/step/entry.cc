#include "slurm-hooks/step/entry.h"

#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::node {
namespace {

constexpr size_t kWholeWay = 5;

bool Same(int one, int other) {
  struct stat first {
  }, second{};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

absl::Status Join(int fd, int kind, const char* name) {
  if (setns(fd, kind) == 0) return absl::OkStatus();
  return ErrnoError(errno, absl::StrCat("join the environment's ", name));
}

}  // namespace

absl::Status EnterEnvironment(const std::vector<UniqueFd>& way) {
  if (way.empty()) return absl::OkStatus();
  if (way.size() != kWholeWay) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the way in has ", way.size(), " parts: expected 0 or ", kWholeWay));
  }
  const int user = way[0].get();
  // Mounts may belong to a parent of the user namespace that programs run in;
  // they can only be joined from there.
  const UniqueFd owner(ioctl(way[1].get(), NS_GET_USERNS));
  if (!owner.valid()) return ErrnoError(errno, "find whose the mounts are");
  RETURN_IF_ERROR(Join(owner.get(), CLONE_NEWUSER, "users"));
  RETURN_IF_ERROR(Join(way[2].get(), CLONE_NEWPID, "process ids"));
  RETURN_IF_ERROR(Join(way[3].get(), CLONE_NEWIPC, "shared memory"));
  RETURN_IF_ERROR(Join(way[1].get(), CLONE_NEWNS, "mounts"));
  if (fchdir(way[4].get()) != 0 || chroot(".") != 0) {
    return ErrnoError(errno, "enter the environment's root directory");
  }
  if (!Same(owner.get(), user)) {
    RETURN_IF_ERROR(Join(user, CLONE_NEWUSER, "users"));
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return ErrnoError(errno, "give up new privileges");
  }
  return absl::OkStatus();
}

}  // namespace carme::node
