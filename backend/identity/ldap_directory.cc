#include "backend/identity/ldap_directory.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/ldap_connection.h"
#include "backend/identity/ldap_filter.h"
#include "common/file.h"
#include "common/status.h"

namespace carme {
namespace {

// No entry has it: the steps for an unknown user need something to ask about.
constexpr char kNobodyRdn[] = "cn=carme-nobody";

std::string First(const LdapEntry& entry, const std::string& attribute) {
  const auto found = entry.values.find(attribute);
  return found == entry.values.end() || found->second.empty()
             ? ""
             : found->second.front();
}

// The entry's own spelling of the name that was typed. An entry may have
// several names; the others are not what the password was given for.
std::optional<std::string> OwnName(const LdapEntry& entry,
                                   const std::string& typed) {
  const auto found = entry.values.find("uid");
  if (found == entry.values.end()) return std::nullopt;
  for (const std::string& name : found->second) {
    if (absl::EqualsIgnoreCase(name, typed)) return name;
  }
  return std::nullopt;
}

std::optional<Uid> UidOf(const LdapEntry& entry) {
  uint32_t number = 0;
  const auto found = entry.values.find("uidnumber");
  if (found == entry.values.end() || found->second.size() != 1 ||
      !absl::SimpleAtoi(found->second.front(), &number) || number == 0 ||
      Uid(number) == kNoUid) {
    return std::nullopt;
  }
  return Uid(number);
}

std::string DisplayName(const LdapEntry& entry, const std::string& username) {
  for (const char* attribute : {"displayname", "cn"}) {
    std::string name = First(entry, attribute);
    if (!name.empty()) return name.substr(0, 200);
  }
  return username;
}

absl::Status No(const std::string& why) {
  return absl::UnauthenticatedError(why);
}

}  // namespace

LdapDirectory::LdapDirectory(LdapConfig config, std::string bind_password)
    : config_(std::move(config)), bind_password_(std::move(bind_password)) {}

absl::StatusOr<std::unique_ptr<LdapDirectory>> LdapDirectory::Create(
    LdapConfig config) {
  std::string password;
  if (!config.bind_dn.empty()) {
    ASSIGN_OR_RETURN(password, ReadSecretFile(config.bind_password_file));
  }
  if (LdapUrlNeedsTls(config.url)) {
    RETURN_IF_ERROR(ReadFile(config.ca_file).status());
  }
  return std::unique_ptr<LdapDirectory>(
      new LdapDirectory(std::move(config), std::move(password)));
}

absl::StatusOr<std::unique_ptr<LdapConnection>> LdapDirectory::Connect() const {
  ASSIGN_OR_RETURN(std::unique_ptr<LdapConnection> connection,
                   LdapConnection::Open(config_));
  if (!config_.bind_dn.empty()) {
    const absl::Status bound =
        connection->Bind(config_.bind_dn, bind_password_);
    // Our own account refused says nothing about the user's password.
    if (!bound.ok()) {
      return absl::UnavailableError(
          absl::StrCat("own account: ", bound.message()));
    }
  }
  return connection;
}

absl::StatusOr<LdapEntry> LdapDirectory::Find(LdapConnection& connection,
                                              std::string_view username) const {
  auto entries = connection.Search(
      config_.user_base, LdapScope::kSubtree,
      FillFilter(config_.user_filter, {{'s', username}}),
      {"uid", "cn", "displayName", "uidNumber", "gidNumber"}, 1);
  // Two entries of one name: nobody can say whose password it is.
  if (!entries.ok() && !absl::IsOutOfRange(entries.status())) {
    return entries.status();
  }
  if (entries.ok() && !entries->empty()) return std::move(entries->front());
  LdapEntry nobody;
  nobody.dn = absl::StrCat(kNobodyRdn, ",", config_.user_base);
  return nobody;
}

absl::StatusOr<bool> LdapDirectory::IsMember(LdapConnection& connection,
                                             const LdapEntry& user,
                                             const std::string& username,
                                             const std::string& group) const {
  if (group.empty()) return false;
  if (group == "*") return true;
  const std::string gid = First(user, "gidnumber");
  std::string filter = FillFilter(
      config_.group_filter,
      {{'s', username}, {'d', user.dn}, {'g', gid.empty() ? "none" : gid}});
  if (!absl::StrContains(group, '=')) {
    filter = absl::StrCat("(&(cn=", EscapeFilterValue(group), ")", filter, ")");
    ASSIGN_OR_RETURN(const auto found,
                     connection.Search(config_.group_base, LdapScope::kSubtree,
                                       filter, {"1.1"}, 10));
    return !found.empty();
  }
  ASSIGN_OR_RETURN(const auto listed, connection.Search(group, LdapScope::kBase,
                                                        filter, {"1.1"}, 1));
  // Directories that keep the membership at the person (memberOf).
  ASSIGN_OR_RETURN(
      const auto marked,
      connection.Search(user.dn, LdapScope::kBase,
                        FillFilter("(memberOf=%d)", {{'d', group}}), {"1.1"},
                        1));
  return !listed.empty() || !marked.empty();
}

absl::StatusOr<LdapDirectory::Found> LdapDirectory::Read(
    LdapConnection& connection, std::string_view username) const {
  ASSIGN_OR_RETURN(const LdapEntry entry, Find(connection, username));
  const std::optional<std::string> name = OwnName(entry, std::string(username));
  const std::optional<Uid> uid = UidOf(entry);
  const std::string asked = name.value_or(std::string(username));
  ASSIGN_OR_RETURN(const bool allowed,
                   IsMember(connection, entry, asked, config_.allowed_group));
  ASSIGN_OR_RETURN(const bool admin,
                   IsMember(connection, entry, asked, config_.admin_group));
  Found found;
  found.dn = entry.dn;
  if (!name) {
    found.refusal = "unknown user";
  } else if (!uid) {
    found.refusal = "the entry has no uidNumber that may log in";
  } else if (!allowed) {
    found.refusal =
        absl::StrCat("not in group \"", config_.allowed_group, "\"");
  } else {
    found.person = {.username = *name,
                    .display_name = DisplayName(entry, *name),
                    .uid = *uid,
                    .role = admin ? Role::kAdmin : Role::kUser};
  }
  return found;
}

absl::StatusOr<PasswordCheck> LdapDirectory::CheckPassword(
    std::string_view username, std::string_view password) {
  if (username.empty() || password.empty()) return No("empty");
  ASSIGN_OR_RETURN(const std::unique_ptr<LdapConnection> connection, Connect());
  ASSIGN_OR_RETURN(Found found, Read(*connection, username));
  // Last, because the connection is the user's from here on. Tried whatever
  // the steps before said: each refusal costs the same.
  const absl::Status bound = connection->Bind(found.dn, std::string(password));
  if (absl::IsUnavailable(bound)) return bound;
  if (!found.refusal.empty()) return No(found.refusal);
  RETURN_IF_ERROR(bound);
  return PasswordCheck{.person = std::move(found.person)};
}

absl::StatusOr<Person> LdapDirectory::LookUp(std::string_view username) {
  if (username.empty()) return absl::NotFoundError("empty");
  ASSIGN_OR_RETURN(const std::unique_ptr<LdapConnection> connection, Connect());
  ASSIGN_OR_RETURN(Found found, Read(*connection, username));
  if (!found.refusal.empty()) return absl::NotFoundError(found.refusal);
  return std::move(found.person);
}

absl::Status LdapDirectory::ChangePassword(std::string_view /*username*/,
                                           std::string_view /*old_password*/,
                                           std::string_view /*new_password*/) {
  return absl::FailedPreconditionError("passwords are not changed here");
}

bool LdapDirectory::ChangesPasswords() const { return false; }

std::vector<std::string> LdapDirectory::PasswordRules() const { return {}; }

}  // namespace carme
