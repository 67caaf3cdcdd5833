#include "backend/privileged/privsep/account.h"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backend/privileged/privsep/messages.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kBufferBytes = 16 * 1024;
constexpr size_t kMaxBufferBytes = 16 * 1024 * 1024;  // groups may be large
constexpr int kMaxGroups = 65536;                     // NGROUPS_MAX
constexpr size_t kMaxNamedGroups = 256;

absl::Status LookUpError(const std::string& what, int error) {
  return MakePlainError(
      privsep_messages::kAccountLookUpFailed,
      {{"subject", what}, {"cause", ErrnoError(error, "").message()}});
}

// Calls getpwnam_r, getgrnam_r or getgrgid_r with a growing buffer. Empty only
// if NSS reports that there is no entry: some of the errors that getpwnam(3)
// lists for "not found" mean that a module could not reach its server.
template <typename Entry, typename Function, typename Key>
absl::StatusOr<std::optional<Entry>> LookUp(Function function, const Key& key,
                                            const std::string& name,
                                            std::vector<char>* buffer) {
  Entry entry{};
  Entry* found = nullptr;
  for (buffer->resize(kBufferBytes); buffer->size() <= kMaxBufferBytes;
       buffer->resize(buffer->size() * 4)) {
    const int error =
        function(key, &entry, buffer->data(), buffer->size(), &found);
    if (error == EINTR) continue;
    if (found != nullptr) return entry;
    if (error == 0) return std::nullopt;
    if (error != ERANGE)
      return LookUpError(absl::StrCat("\"", name, "\""), error);
  }
  return LookUpError(absl::StrCat("\"", name, "\""), ERANGE);
}

absl::StatusOr<std::vector<gid_t>> LookUpGroups(const std::string& name,
                                                gid_t primary) {
  std::vector<gid_t> groups(64);
  while (true) {
    int count = static_cast<int>(groups.size());
    if (getgrouplist(name.c_str(), primary, groups.data(), &count) >= 0) {
      groups.resize(static_cast<size_t>(count));
      return groups;
    }
    if (count <= static_cast<int>(groups.size()) || count > kMaxGroups) {
      return LookUpError(absl::StrCat("groups of \"", name, "\""), ERANGE);
    }
    groups.resize(static_cast<size_t>(count));
  }
}

absl::StatusOr<gid_t> LookUpGid(const std::string& group_name,
                                std::vector<char>* buffer,
                                absl::string_view key = "allowed_group") {
  ASSIGN_OR_RETURN(
      const std::optional<group> found,
      LookUp<group>(getgrnam_r, group_name.c_str(), group_name, buffer));
  if (found.has_value()) return found->gr_gid;
  return MakePlainError(privsep_messages::kNoSuchGroup,
                        {{"key", key}, {"group", group_name}});
}

}  // namespace

absl::StatusOr<gid_t> LookUpGroup(const std::string& name) {
  std::vector<char> buffer;
  return LookUpGid(name, &buffer, "group");
}

absl::StatusOr<ServiceUser> LookUpService(const std::string& name) {
  std::vector<char> buffer;
  ASSIGN_OR_RETURN(const std::optional<passwd> entry,
                   LookUp<passwd>(getpwnam_r, name.c_str(), name, &buffer));
  if (!entry.has_value()) {
    return MakePlainError(privsep_messages::kNoSuchUser, {{"name", name}});
  }
  return ServiceUser{.uid = entry->pw_uid, .gid = entry->pw_gid};
}

absl::StatusOr<PeerUser> LookUpPeer(const std::string& name) {
  ASSIGN_OR_RETURN(const PeerUser peer, LookUpService(name));
  if (peer.uid == 0) {
    return MakePlainError(privsep_messages::kPeerIsRoot, {{"name", name}});
  }
  return peer;
}

absl::StatusOr<Account> LookUpAccount(const std::string& name,
                                      const std::string& allowed_group) {
  std::vector<char> buffer;
  ASSIGN_OR_RETURN(const std::optional<passwd> user,
                   LookUp<passwd>(getpwnam_r, name.c_str(), name, &buffer));
  if (!user.has_value() || name != user->pw_name) {
    // nscd also reports this while the directory is down. Then it does not know
    // the group either.
    RETURN_IF_ERROR(LookUpGid(allowed_group, &buffer).status());
    return MakePlainError(privsep_messages::kAccountUnknown, {{"user", name}});
  }
  Account account;
  account.name = name;
  account.uid = user->pw_uid;
  account.gid = user->pw_gid;
  account.home = user->pw_dir;
  if (!account.home.starts_with('/')) {
    return MakePlainError(privsep_messages::kHomeNotAbsolute,
                          {{"user", name}, {"directory", account.home}});
  }
  ASSIGN_OR_RETURN(account.groups, LookUpGroups(name, account.gid));
  // getgrouplist(3) silently omits what it could not look up. Only this look-up
  // after it shows whether the directory was reachable.
  ASSIGN_OR_RETURN(const gid_t allowed, LookUpGid(allowed_group, &buffer));
  account.in_allowed_group =
      std::find(account.groups.begin(), account.groups.end(), allowed) !=
      account.groups.end();
  return account;
}

absl::StatusOr<std::vector<NamedGroup>> LookUpGroupNames(
    const std::vector<gid_t>& groups) {
  std::vector<NamedGroup> named;
  std::vector<char> buffer;
  for (size_t i = 0; i < groups.size() && i < kMaxNamedGroups; ++i) {
    ASSIGN_OR_RETURN(const std::optional<group> found,
                     LookUp<group>(getgrgid_r, groups[i],
                                   absl::StrCat("group ", groups[i]), &buffer));
    if (found.has_value()) named.push_back({groups[i], found->gr_name});
  }
  return named;
}

}  // namespace carme
