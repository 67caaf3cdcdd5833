#include "backend/privileged/privsep/become_user.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>

#include "common/status.h"

namespace carme {
namespace {

absl::Status SwitchIds(const Account& account) {
  if (account.uid == 0 || account.gid == 0) {
    return absl::InternalError("refusing to switch to root");
  }
  if (setgroups(account.groups.size(), account.groups.data()) != 0) {
    return ErrnoError(errno, "setgroups");
  }
  if (setresgid(account.gid, account.gid, account.gid) != 0) {
    return ErrnoError(errno, "setresgid");
  }
  if (setresuid(account.uid, account.uid, account.uid) != 0) {
    return ErrnoError(errno, "setresuid");
  }
  return absl::OkStatus();
}

absl::Status ProveRootIsGone() {
  if (setuid(0) == 0 || setresuid(-1, 0, -1) == 0 || setgid(0) == 0 ||
      setgroups(0, nullptr) == 0) {
    return absl::InternalError("root could be regained after the switch");
  }
  return absl::OkStatus();
}

absl::Status VerifyIds(const Account& account) {
  uid_t uid[3];
  gid_t gid[3];
  std::vector<gid_t> groups(account.groups.size() + 1);
  if (getresuid(&uid[0], &uid[1], &uid[2]) != 0 ||
      getresgid(&gid[0], &gid[1], &gid[2]) != 0) {
    return ErrnoError(errno, "getresuid");
  }
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  if (count < 0) return ErrnoError(errno, "getgroups");
  groups.resize(static_cast<size_t>(count));
  const auto is_uid = [&](uid_t id) { return id == account.uid; };
  const auto is_gid = [&](gid_t id) { return id == account.gid; };
  // The kernel keeps the groups sorted.
  if (std::all_of(uid, uid + 3, is_uid) && std::all_of(gid, gid + 3, is_gid) &&
      std::multiset<gid_t>(groups.begin(), groups.end()) ==
          std::multiset<gid_t>(account.groups.begin(), account.groups.end())) {
    return absl::OkStatus();
  }
  return absl::InternalError("ids differ from the requested ones");
}

// setresuid() has emptied the sets, unless a securebit was inherited.
absl::Status ProveCapabilitiesAreGone() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0)
    return ErrnoError(errno, "capget");
  for (const auto& set : data) {
    if ((set.effective | set.permitted | set.inheritable) != 0) {
      return absl::InternalError("capabilities are left after the switch");
    }
  }
  return absl::OkStatus();
}

absl::Status CloseAllBut(int keep_fd) {
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) return ErrnoError(errno, "open \"/dev/null\"");
  for (int fd = 0; fd <= 2; ++fd) {
    if (dup2(null, fd) < 0) return ErrnoError(errno, "dup2");
  }
  const auto keep = static_cast<unsigned>(keep_fd);
  if (keep_fd <= 2 || (keep > 3 && close_range(3, keep - 1, 0) != 0) ||
      close_range(keep + 1, ~0U, 0) != 0) {
    return ErrnoError(errno, "close_range");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status BecomeUser(const Account& account, int keep_fd) {
  if (clearenv() != 0) return ErrnoError(errno, "clearenv");
  RETURN_IF_ERROR(SwitchIds(account));
  RETURN_IF_ERROR(ProveRootIsGone());
  RETURN_IF_ERROR(VerifyIds(account));
  RETURN_IF_ERROR(ProveCapabilitiesAreGone());
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
    return ErrnoError(errno, "prctl");
  }
  umask(077);
  if (chdir("/") != 0) return ErrnoError(errno, "chdir \"/\"");
  return CloseAllBut(keep_fd);
}

}  // namespace carme
