#include "backend/privileged/authz/policy.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme {
namespace {

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status Refuse(const Account& account, const std::string& reason) {
  return absl::PermissionDeniedError(
      absl::StrCat("user \"", account.name, "\" ", reason));
}

}  // namespace

PrivilegedPolicy ReadPolicy(ConfigTable* root) {
  PrivilegedPolicy policy;
  int64_t min_uid = policy.min_uid;
  root->Read("min_uid", &min_uid, Range(1, UINT32_MAX - 1));
  policy.min_uid = static_cast<uint32_t>(min_uid);
  root->Read("allowed_group", &policy.allowed_group, Required());
  root->Read("denied_users", &policy.denied_users);
  return policy;
}

absl::Status MayActAs(const PrivilegedPolicy& policy, const Account& account,
                      Uid claimed) {
  if (account.uid == 0 || account.gid == 0 || claimed.value() == 0) {
    return Refuse(account, "is root or in root's group");
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
  if (Contains(policy.denied_users, account.name)) {
    return Refuse(account, "is in denied_users");
  }
  if (!account.in_allowed_group) {
    return Refuse(account, absl::StrCat("is not in allowed_group \"",
                                        policy.allowed_group, "\""));
  }
  return absl::OkStatus();
}

absl::StatusOr<Account> AuthorizeUser(const PrivilegedPolicy& policy,
                                      const std::string& user, Uid claimed) {
  ASSIGN_OR_RETURN(Account account, LookUpAccount(user, policy.allowed_group));
  RETURN_IF_ERROR(MayActAs(policy, account, claimed));
  return account;
}

}  // namespace carme
