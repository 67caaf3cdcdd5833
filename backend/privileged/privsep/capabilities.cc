#include "backend/privileged/privsep/capabilities.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "backend/privileged/privsep/messages.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr uint32_t kKeptCapabilities =
    (1U << CAP_SETUID) | (1U << CAP_SETGID) | (1U << CAP_KILL);
static_assert(CAP_SETUID < 32 && CAP_SETGID < 32 && CAP_KILL < 32);

using Sets = __user_cap_data_struct[2];

absl::Status Get(Sets* sets) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  if (syscall(SYS_capget, &header, *sets) != 0) {
    return ErrnoError(errno, "capget");
  }
  return absl::OkStatus();
}

// The bounding set limits what an executed program could gain.
absl::Status EmptyBoundingSet() {
  for (int number = 0; prctl(PR_CAPBSET_READ, number) >= 0; ++number) {
    const bool keep = number < 32 && (kKeptCapabilities & (1U << number)) != 0;
    if (keep || prctl(PR_CAPBSET_READ, number) == 0) continue;
    if (prctl(PR_CAPBSET_DROP, number) != 0) {
      return ErrnoError(errno, "prctl(PR_CAPBSET_DROP)");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DropCapabilities() {
  Sets sets = {};
  RETURN_IF_ERROR(Get(&sets));
  if ((sets[0].permitted & kKeptCapabilities) != kKeptCapabilities) {
    return MakePlainError(
        privsep_messages::kCapabilitiesMissing,
        {{"capabilities", absl::StrFormat("%#x", sets[0].permitted)}});
  }
  // Without CAP_SETPCAP the bounding set cannot be changed; no_new_privs makes
  // sure that no executed program gains anything from it.
  if ((sets[0].effective & (1U << CAP_SETPCAP)) != 0) {
    RETURN_IF_ERROR(EmptyBoundingSet());
  }
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return ErrnoError(errno, "prctl");
  }
  sets[0] = {.effective = kKeptCapabilities,
             .permitted = kKeptCapabilities,
             .inheritable = 0};
  sets[1] = {};
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  if (syscall(SYS_capset, &header, sets) != 0) {
    return ErrnoError(errno, "capset");
  }
  Sets left = {};
  RETURN_IF_ERROR(Get(&left));
  if (left[0].permitted != kKeptCapabilities || left[0].inheritable != 0 ||
      left[1].permitted != 0 || left[1].inheritable != 0) {
    return absl::InternalError("more than three capabilities are left");
  }
  return absl::OkStatus();
}

}  // namespace carme
