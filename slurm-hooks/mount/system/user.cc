#include "slurm-hooks/mount/system/user.h"

#include <linux/capability.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "common/status.h"
#include "slurm-hooks/mount/system/messages.h"

namespace carme::mount {
namespace {

bool HasNoCapability() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  for (const auto& part : data) {
    if (part.effective != 0 || part.permitted != 0) return false;
  }
  return true;
}

bool RaiseCapabilities(KeptCapabilities kept) {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  if (kept == KeptCapabilities::kMount) {
    data[0].permitted &= 1U << CAP_SYS_ADMIN;
    data[1].permitted = 0;
  }
  for (auto& part : data) part.effective = part.permitted;
  return syscall(SYS_capset, &header, data) == 0;
}

bool IsThe(const User& user) {
  uid_t real = 0, effective = 0, saved = 0;
  gid_t real_gid = 0, effective_gid = 0, saved_gid = 0;
  return getresuid(&real, &effective, &saved) == 0 && real == user.uid &&
         effective == user.uid && saved == user.uid &&
         getresgid(&real_gid, &effective_gid, &saved_gid) == 0 &&
         real_gid == user.gid && effective_gid == user.gid &&
         saved_gid == user.gid;
}

}  // namespace

absl::Status BecomeUser(const User& user) {
  if (user.uid == 0) return MakePlainError(mount_system_messages::kNotForRoot);
  if (setresgid(user.gid, user.gid, user.gid) != 0 ||
      setresuid(user.uid, user.uid, user.uid) != 0) {
    return ErrnoError(errno, "become the user");
  }
  if (setresuid(0, 0, 0) == 0 || !IsThe(user) || !HasNoCapability()) {
    return absl::InternalError("the process still has rights of root");
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return ErrnoError(errno, "give up rights");
  }
  return absl::OkStatus();
}

absl::Status BecomeUserKeeping(const User& user, KeptCapabilities kept) {
  if (user.uid == 0) return MakePlainError(mount_system_messages::kNotForRoot);
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 ||
      setresgid(user.gid, user.gid, user.gid) != 0 ||
      setresuid(user.uid, user.uid, user.uid) != 0 || !IsThe(user) ||
      !RaiseCapabilities(kept)) {
    return ErrnoError(errno, "take the user's name");
  }
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return ErrnoError(errno, "end with its parent");
  }
  return absl::OkStatus();
}

// setfsuid(2) reports nothing; what it would not do for root is our mistake.
FilesAsUser::FilesAsUser(const User& user) {
  setfsgid(user.gid);
  setfsuid(user.uid);
  if (setfsuid(static_cast<uid_t>(-1)) != static_cast<int>(user.uid) ||
      setfsgid(static_cast<gid_t>(-1)) != static_cast<int>(user.gid)) {
    std::abort();
  }
}

FilesAsUser::~FilesAsUser() {
  setfsuid(0);
  setfsgid(0);
}

}  // namespace carme::mount
