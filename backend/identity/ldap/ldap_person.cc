#include "backend/identity/ldap/ldap_person.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/identity/ldap/active_directory.h"
#include "backend/identity/ldap/ldap_connection.h"
#include "backend/identity/ldap/ldap_groups.h"
#include "backend/identity/ldap/ldap_name.h"
#include "backend/identity/ldap/messages.h"
#include "backend/identity/users/nss_account.h"
#include "backend/identity/users/username.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// A DN without an entry, for the look-ups and the bind of an unknown user.
constexpr char kNobodyRdn[] = "cn=carme-nobody";
constexpr size_t kMaxDisplayBytes = 200;

const std::vector<std::string>& Values(const LdapEntry& entry,
                                       const std::string& attribute) {
  static const std::vector<std::string> none;
  const auto found = entry.values.find(absl::AsciiStrToLower(attribute));
  return found == entry.values.end() ? none : found->second;
}

struct FoundEntry {
  LdapEntry entry;
  bool several = false;  // several entries have the name
};

absl::StatusOr<FoundEntry> FindEntry(LdapConnection& connection,
                                     const LdapConfig& config,
                                     std::string_view username) {
  std::vector<std::string> attributes = {
      config.name_attribute, "cn",        "displayName",
      "uidNumber",           "gidNumber", "userAccountControl",
      "accountExpires"};
  if (config.member_of) attributes.emplace_back("memberOf");
  if (!config.mail_attribute.empty()) {
    attributes.push_back(config.mail_attribute);
  }
  if (config.nested_groups == NestedGroups::kInChain) {
    attributes.insert(attributes.end(), {"objectSid", "primaryGroupID"});
  }
  auto entries = connection.Search(
      config.user_base, LdapScope::kSubtree,
      FillFilter(config.user_filter, {{'s', username}}), attributes, 1);
  // With two entries of one name, the owner of the password is ambiguous.
  if (!entries.ok() && !absl::IsOutOfRange(entries.status())) {
    return entries.status();
  }
  if (entries.ok() && !entries->empty()) {
    return FoundEntry{std::move(entries->front())};
  }
  FoundEntry nobody;
  nobody.entry.dn = absl::StrCat(kNobodyRdn, ",", config.user_base);
  nobody.several = !entries.ok();
  return nobody;
}

// The entry's spelling of the typed name. If users type another attribute, the
// entry's only name.
std::optional<std::string> OwnName(const LdapEntry& entry,
                                   const std::string& attribute,
                                   const std::string& typed) {
  const std::vector<std::string>& names = Values(entry, attribute);
  for (const std::string& name : names) {
    if (absl::EqualsIgnoreCase(name, typed)) return name;
  }
  if (names.size() == 1) return names.front();
  return std::nullopt;
}

std::optional<Uid> UidNumber(const LdapEntry& entry) {
  const std::vector<std::string>& numbers = Values(entry, "uidNumber");
  uint32_t number = 0;
  if (numbers.size() != 1 || !absl::SimpleAtoi(numbers.front(), &number)) {
    return std::nullopt;
  }
  return Uid(number);
}

// Whether two entries have the number. Also called for unknown users.
absl::StatusOr<bool> IsShared(LdapConnection& connection,
                              const LdapConfig& config, Uid uid) {
  const auto found = connection.Search(
      config.user_base, LdapScope::kSubtree,
      absl::StrCat("(uidNumber=", uid.value(), ")"), {"1.1"}, 1);
  if (absl::IsOutOfRange(found.status())) return true;
  RETURN_IF_ERROR(found.status());
  return false;
}

// Whether the directory has withdrawn the account. The directory refuses a bind
// of such an account, but sessions and access tokens do not bind.
std::string Withdrawn(const LdapEntry& entry) {
  const auto only = [&entry](const std::string& attribute) {
    const std::vector<std::string>& values = Values(entry, attribute);
    return values.empty() ? std::string() : values.front();
  };
  return AccountProblem(only("userAccountControl"), only("accountExpires"),
                        absl::Now());
}

// A text that is safe to show in browsers.
std::string DisplayName(const LdapEntry& entry, const std::string& username) {
  for (const char* attribute : {"displayName", "cn"}) {
    const std::vector<std::string>& names = Values(entry, attribute);
    if (names.empty() || names.front().empty()) continue;
    return Readable(names.front(), kMaxDisplayBytes);
  }
  return username;
}

// The sender of mails checks whether the address is valid.
std::string Mail(const LdapConfig& config, const LdapEntry& entry) {
  if (config.mail_attribute.empty()) return "";
  const std::vector<std::string>& values = Values(entry, config.mail_attribute);
  return values.empty() ? "" : values.front();
}

Role RoleOf(const LdapConfig& config, const std::vector<LdapGroup>& groups) {
  if (IsAmong(groups, config.admin_group)) return Role::kAdmin;
  if (IsAmong(groups, config.support_group)) return Role::kSupport;
  if (IsAmong(groups, config.manager_group)) return Role::kManager;
  return Role::kUser;
}

// Name and uid of the account, or the reason why it has none.
struct Account {
  std::string name;
  std::optional<Uid> uid;
  std::string refusal;
  bool unclear = false;
};

absl::StatusOr<Account> FromNss(const std::string& name) {
  const absl::StatusOr<NssAccount> found = FindNssAccount(name);
  if (absl::IsUnavailable(found.status())) return found.status();
  if (!found.ok()) {
    return Account{.name = name,
                   .uid = std::nullopt,
                   .refusal = std::string(found.status().message()),
                   .unclear = true};
  }
  if (!absl::EqualsIgnoreCase(found->name, name)) {
    return Account{
        .name = name,
        .uid = std::nullopt,
        .refusal = FormatMessage(ldap_messages::kNameDiffersInNss,
                                 {{"name", name}, {"other", found->name}})};
  }
  return Account{.name = found->name, .uid = found->uid, .refusal = ""};
}

absl::StatusOr<Account> FromEntry(LdapConnection& connection,
                                  const LdapConfig& config,
                                  const LdapEntry& entry,
                                  const std::string& name) {
  const std::optional<Uid> uid = UidNumber(entry);
  ASSIGN_OR_RETURN(const bool shared,
                   IsShared(connection, config, uid.value_or(Uid(0))));
  Account account{.name = name, .uid = uid, .refusal = ""};
  if (!uid) account.refusal = FormatMessage(ldap_messages::kNoUidNumber);
  if (shared) {
    account.refusal = FormatMessage(ldap_messages::kUidNumberShared);
    account.unclear = true;
  }
  return account;
}

using Groups = absl::StatusOr<std::vector<LdapGroup>>;

// The reason why the account may not log in; empty: it may.
std::string Refusal(const LdapConfig& config, const Account& account,
                    const Groups& groups) {
  if (!IsUsername(account.name)) {
    return FormatMessage(ldap_messages::kNameInvalid);
  }
  if (!account.refusal.empty()) return account.refusal;
  if (account.uid->value() < config.min_uid || *account.uid == kNoUid) {
    return FormatMessage(
        ldap_messages::kUidTooSmall,
        {{"uid", account.uid->value()}, {"min", config.min_uid}});
  }
  if (!groups.ok()) return std::string(groups.status().message());
  if (!IsAmong(*groups, config.allowed_group)) {
    return FormatMessage(ldap_messages::kNotInGroup,
                         {{"group", config.allowed_group}});
  }
  return "";
}

}  // namespace

absl::StatusOr<LdapPerson> ReadLdapPerson(LdapConnection& connection,
                                          const LdapConfig& config,
                                          std::string_view username) {
  const std::string typed(username);
  ASSIGN_OR_RETURN(const FoundEntry found_entry,
                   FindEntry(connection, config, username));
  const LdapEntry& entry = found_entry.entry;
  const std::optional<std::string> name =
      IsUsername(typed) ? OwnName(entry, config.name_attribute, typed)
                        : std::nullopt;
  const std::string asked = name.value_or(typed);
  ASSIGN_OR_RETURN(const Account account,
                   config.uid_source == UidSource::kNss
                       ? FromNss(asked)
                       : FromEntry(connection, config, entry, asked));
  const Groups groups = FindLdapGroups(connection, config, entry, asked);
  if (!groups.ok() && !absl::IsOutOfRange(groups.status())) {
    return groups.status();
  }

  LdapPerson found{.dn = entry.dn,
                   .refusal = name ? Withdrawn(entry)
                                   : FormatMessage(ldap_messages::kUnknownUser),
                   .unclear = found_entry.several,
                   .person = {}};
  if (found.refusal.empty()) {
    found.refusal = Refusal(config, account, groups);
    found.unclear = account.unclear || !groups.ok();
  }
  if (!found.refusal.empty()) return found;
  found.person = {.username = account.name,
                  .display_name = DisplayName(entry, account.name),
                  .uid = *account.uid,
                  .role = RoleOf(config, *groups)};
  found.person.mail = Mail(config, entry);
  for (const LdapGroup& group : *groups) {
    if (!group.name.empty()) found.person.groups.push_back(group.name);
  }
  return found;
}

}  // namespace carme::backend
