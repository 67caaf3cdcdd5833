#include "backend/identity/ldap/ldap_search.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/identity/ldap/ldap_connection.h"
#include "backend/identity/ldap/ldap_groups.h"
#include "backend/identity/ldap/ldap_name.h"
#include "backend/identity/users/username.h"
#include "common/ids.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxShownBytes = 200;

std::string FirstValue(const LdapEntry& entry, const std::string& attribute) {
  const auto found = entry.values.find(absl::AsciiStrToLower(attribute));
  return found == entry.values.end() || found->second.empty()
             ? std::string()
             : found->second.front();
}

std::string BeginsWith(const std::string& attribute,
                       std::string_view beginning) {
  return absl::StrCat("(", attribute, "=", EscapeFilterValue(beginning), "*)");
}

// Whether the entry's uid may be a user's. With uids from the name service the
// entry has none.
bool HasUserUid(const LdapConfig& config, const LdapEntry& entry) {
  if (config.uid_source != UidSource::kLdap) return true;
  uint32_t number = 0;
  return absl::SimpleAtoi(FirstValue(entry, "uidNumber"), &number) &&
         int64_t{number} >= config.min_uid && Uid(number) != kNoUid;
}

std::string DisplayNameOf(const LdapEntry& entry) {
  for (const char* attribute : {"displayName", "cn"}) {
    const std::string name = FirstValue(entry, attribute);
    if (!name.empty()) return Readable(name, kMaxShownBytes);
  }
  return "";
}

// Each name once, sorted.
DirectoryNames Sorted(std::map<std::string, std::string> names, bool more) {
  DirectoryNames sorted{.more = more};
  for (auto& [name, display_name] : names) {
    sorted.names.push_back({name, display_name});
  }
  return sorted;
}

}  // namespace

absl::StatusOr<DirectoryNames> SearchLdapUsers(LdapConnection& connection,
                                               const LdapConfig& config,
                                               std::string_view beginning,
                                               int max) {
  const std::string users =
      absl::StrReplaceAll(config.user_filter, {{"%s", "*"}});
  const std::string filter =
      beginning.empty()
          ? users
          : absl::StrCat("(&", users, "(|",
                         BeginsWith(config.name_attribute, beginning),
                         BeginsWith("cn", beginning),
                         BeginsWith("displayName", beginning), "))");
  ASSIGN_OR_RETURN(
      const LdapEntries found,
      connection.SearchSome(
          config.user_base, LdapScope::kSubtree, filter,
          {config.name_attribute, "cn", "displayName", "uidNumber"}, max));
  std::map<std::string, std::string> names;
  for (const LdapEntry& entry : found.entries) {
    const std::string name = FirstValue(entry, config.name_attribute);
    if (!IsUsername(name) || !HasUserUid(config, entry)) continue;
    names.emplace(name, DisplayNameOf(entry));
  }
  return Sorted(std::move(names), found.more);
}

absl::StatusOr<DirectoryNames> SearchLdapGroups(LdapConnection& connection,
                                                const LdapConfig& config,
                                                std::string_view beginning,
                                                int max) {
  if (config.group_base.empty()) return DirectoryNames();
  ASSIGN_OR_RETURN(
      const LdapEntries found,
      connection.SearchSome(config.group_base, LdapScope::kSubtree,
                            absl::StrCat("(&", BeginsWith("cn", beginning),
                                         kLdapGroupFilter, ")"),
                            {"cn"}, max));
  std::map<std::string, std::string> names;
  for (const LdapEntry& entry : found.entries) {
    const std::string name = FirstValue(entry, "cn");
    if (IsUtf8(name) && PrintableLength(name)) names.emplace(name, "");
  }
  return Sorted(std::move(names), found.more);
}

}  // namespace carme::backend
