#include "slurm-hooks/join/entry.h"

#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/join/messages.h"

namespace carme::node {
namespace {

constexpr size_t kDescriptors = 5;

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

absl::Status EnterEnvironment(const std::vector<UniqueFd>& namespaces) {
  if (namespaces.empty()) return absl::OkStatus();
  if (namespaces.size() != kDescriptors) {
    return MakePlainError(
        join_messages::kNamespacesExpected,
        {{"found", namespaces.size()}, {"expected", kDescriptors}});
  }
  const int user = namespaces[0].get();
  // Mounts may belong to a parent of the user namespace that programs run in;
  // they can only be joined from there.
  const UniqueFd owner(ioctl(namespaces[1].get(), NS_GET_USERNS));
  if (!owner.valid())
    return ErrnoError(errno, "find the user namespace of the mounts");
  RETURN_IF_ERROR(Join(owner.get(), CLONE_NEWUSER, "users"));
  RETURN_IF_ERROR(Join(namespaces[2].get(), CLONE_NEWPID, "process ids"));
  RETURN_IF_ERROR(Join(namespaces[3].get(), CLONE_NEWIPC, "shared memory"));
  RETURN_IF_ERROR(Join(namespaces[1].get(), CLONE_NEWNS, "mounts"));
  if (fchdir(namespaces[4].get()) != 0 || chroot(".") != 0) {
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
