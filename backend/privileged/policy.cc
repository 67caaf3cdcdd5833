#include "backend/privileged/policy.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace carme::impersonator {
namespace {

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status Refuse(const Account& account, const std::string& reason) {
  return absl::PermissionDeniedError(
      absl::StrCat("user \"", account.name, "\" ", reason));
}

}  // namespace

absl::Status MayActAs(const PrivilegedPolicy& policy, const Account& account,
                      Uid claimed) {
  if (account.uid == 0 || account.gid == 0 || claimed.value() == 0) {
    return Refuse(account, "is root or in root's group: expected a person");
  }
  if (account.uid != claimed.value()) {
    return Refuse(account, absl::StrCat("has uid ", account.uid, ": expected ",
                                        claimed.value()));
  }
  if (account.uid < policy.min_uid) {
    return Refuse(account,
                  absl::StrCat("has uid ", account.uid, ": expected min_uid ",
                               policy.min_uid, " or more"));
  }
  if (Holds(policy.refused_users, account.name)) {
    return Refuse(account, "is one of refused_users");
  }
  if (!account.in_allowed_group) {
    return Refuse(account, absl::StrCat("is not in allowed_group \"",
                                        policy.allowed_group, "\""));
  }
  return absl::OkStatus();
}

}  // namespace carme::impersonator
