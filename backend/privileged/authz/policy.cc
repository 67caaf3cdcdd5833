#include "backend/privileged/authz/policy.h"

#include <algorithm>

#include "backend/privileged/authz/messages.h"
#include "common/status.h"

namespace carme {
namespace {

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
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
    return MakePlainError(policy_messages::kUserIsRoot,
                          {{"user", account.name}});
  }
  if (account.uid != claimed.value()) {
    return MakePlainError(policy_messages::kOtherUid,
                          {{"user", account.name},
                           {"uid", account.uid},
                           {"expected", claimed.value()}});
  }
  if (account.uid < policy.min_uid) {
    return MakePlainError(policy_messages::kUidTooSmall,
                          {{"user", account.name},
                           {"uid", account.uid},
                           {"min_uid", policy.min_uid}});
  }
  if (Contains(policy.denied_users, account.name)) {
    return MakePlainError(policy_messages::kUserDenied,
                          {{"user", account.name}});
  }
  if (!account.in_allowed_group) {
    return MakePlainError(
        policy_messages::kNotInAllowedGroup,
        {{"user", account.name}, {"group", policy.allowed_group}});
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
