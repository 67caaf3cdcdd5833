// On whose behalf this program acts at all: a pure function over values, kept
// apart from the backend's own policy on purpose.
#ifndef CARME_BACKEND_PRIVILEGED_POLICY_H_
#define CARME_BACKEND_PRIVILEGED_POLICY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backend/privileged/account.h"
#include "common/ids.h"

namespace carme::impersonator {

struct PrivilegedPolicy {
  // The lowest uid of a person; root is refused whatever stands here.
  uint32_t min_uid = 1000;
  // Members of this group only, by whatever the host's NSS asks.
  std::string allowed_group;
  // Never these, by name.
  std::vector<std::string> refused_users;
};

// `account` is what the directory says about the user that was asked for;
// `claimed` is the uid which the backend believes that user to have.
// PERMISSION_DENIED: found, then expected.
absl::Status MayActAs(const PrivilegedPolicy& policy, const Account& account,
                      Uid claimed);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_POLICY_H_
