// For which users the root programs act. Independent of the backend's policy on
// purpose.
#ifndef CARME_BACKEND_PRIVILEGED_AUTHZ_POLICY_H_
#define CARME_BACKEND_PRIVILEGED_AUTHZ_POLICY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/privileged/privsep/account.h"
#include "common/config/config.h"
#include "common/ids.h"

namespace carme {

struct PrivilegedPolicy {
  // The lowest uid of a person. Root is always refused.
  uint32_t min_uid = 1000;
  // Only members of this group, as NSS reports it, are allowed.
  std::string allowed_group;
  // These users are always refused, by name.
  std::vector<std::string> denied_users;
};

// Reads `min_uid`, `allowed_group` (required) and `denied_users`; errors are
// reported by the file's Finish().
PrivilegedPolicy ReadPolicy(ConfigTable* root);

// `account` is what NSS reports about the requested user; `claimed` is the uid
// that the backend believes this user to have. Pure.
// PERMISSION_DENIED, with what was found and what was expected.
absl::Status MayActAs(const PrivilegedPolicy& policy, const Account& account,
                      Uid claimed);

// Looks `user` up and applies the policy. Blocks as long as NSS blocks. The
// codes are those of LookUpAccount() and MayActAs().
absl::StatusOr<Account> AuthorizeUser(const PrivilegedPolicy& policy,
                                      const std::string& user, Uid claimed);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_AUTHZ_POLICY_H_
