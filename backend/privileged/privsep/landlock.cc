#include "backend/privileged/privsep/landlock.h"

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "common/status.h"
#include "common/unique_fd.h"

namespace carme {
namespace {

// As in linux/landlock.h since Linux 6.7; the header of Debian 12 is older than
// the kernels it can run on.
constexpr long kVersionWithPorts = 4;
constexpr uint64_t kConnectTcp = 1U << 1;  // LANDLOCK_ACCESS_NET_CONNECT_TCP
constexpr int kPortRule = 2;               // LANDLOCK_RULE_NET_PORT
struct Ruleset {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
};
struct PortRule {
  uint64_t allowed_access;
  uint64_t port;
};

}  // namespace

bool SupportsPortLimits() {
  return syscall(SYS_landlock_create_ruleset, nullptr, 0,
                 LANDLOCK_CREATE_RULESET_VERSION) >= kVersionWithPorts;
}

absl::Status LimitConnectPorts(const std::vector<uint16_t>& ports) {
  const Ruleset ruleset{.handled_access_fs = 0,
                        .handled_access_net = kConnectTcp};
  const UniqueFd fd(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0)));
  if (!fd.valid()) return ErrnoError(errno, "landlock_create_ruleset");
  for (const uint16_t port : ports) {
    const PortRule rule{.allowed_access = kConnectTcp, .port = port};
    if (syscall(SYS_landlock_add_rule, fd.get(), kPortRule, &rule, 0) != 0) {
      return ErrnoError(errno, "landlock_add_rule");
    }
  }
  if (syscall(SYS_landlock_restrict_self, fd.get(), 0) != 0) {
    return ErrnoError(errno, "landlock_restrict_self");
  }
  return absl::OkStatus();
}

}  // namespace carme
