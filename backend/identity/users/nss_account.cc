#include "backend/identity/users/nss_account.h"

#include <pwd.h>

#include <cstring>
#include <utility>
#include <vector>

#include "backend/identity/users/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Larger than any entry of a user.
constexpr size_t kBufferBytes = 1 << 16;

// `error` and `found` are those of getpwnam_r and getpwuid_r. glibc returns no
// error for an unknown user; every error means that the look-up failed.
absl::Status Judge(int error, const passwd* found, const ErrorTemplate& missing,
                   const ErrorTemplate& failed) {
  if (found != nullptr) return absl::OkStatus();
  if (error == 0) return MakeError(missing);
  return MakeError(failed, {{"error", std::strerror(error)}});
}

}  // namespace

absl::StatusOr<NssAccount> FindNssAccount(const std::string& name) {
  std::vector<char> buffer(kBufferBytes);
  passwd entry = {};
  passwd* found = nullptr;
  const int by_name =
      getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  RETURN_IF_ERROR(Judge(by_name, found, user_messages::kNoAccountOfName,
                        user_messages::kLookupByNameFailed));
  const NssAccount account = {found->pw_name, Uid(found->pw_uid),
                              found->pw_dir};
  const int by_uid = getpwuid_r(account.uid.value(), &entry, buffer.data(),
                                buffer.size(), &found);
  RETURN_IF_ERROR(Judge(by_uid, found, user_messages::kNoAccountOfUid,
                        user_messages::kLookupByUidFailed));
  if (account.name != found->pw_name) {
    return MakeError(user_messages::kUidOfAnother,
                     {{"uid", account.uid.value()},
                      {"name", account.name},
                      {"other", found->pw_name}});
  }
  return account;
}

absl::StatusOr<std::string> NssHomeLookup::HomeOf(const std::string& username) {
  ASSIGN_OR_RETURN(NssAccount account, FindNssAccount(username));
  return std::move(account.home);
}

}  // namespace carme::backend
