#include "backend/identity/ldap/ldap_config.h"

#include <limits>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "backend/identity/ldap/ldap_name.h"

namespace carme::backend {
namespace {

constexpr int64_t kMaxUid = std::numeric_limits<uint32_t>::max() - 1;

absl::string_view Scheme(absl::string_view address) {
  return address.substr(0, address.find(':'));
}

bool SameScheme(absl::string_view a, absl::string_view b) {
  return absl::EqualsIgnoreCase(Scheme(a), Scheme(b));
}

bool IsDn(const std::string& group) { return absl::StrContains(group, '='); }

// A key with a few words as its value, each with its meaning.
template <typename Choice>
void ReadChoice(ConfigTable table, std::string_view key,
                const std::vector<std::pair<std::string, Choice>>& choices,
                Choice* value) {
  std::string word = choices.front().first;
  table.Read(key, &word);
  std::string expected;
  for (const auto& [name, choice] : choices) {
    if (word == name) {
      *value = choice;
      return;
    }
    absl::StrAppend(&expected, expected.empty() ? "" : ", ", "\"", name, "\"");
  }
  table.Refuse(key, absl::StrCat("\"", word, "\": expected one of ", expected));
}

void CheckGroup(ConfigTable table, std::string_view key,
                const std::string& group, const LdapConfig& ldap) {
  if (group.empty() || group == "*") return;
  if (IsDn(group) && !CanonicalDn(group)) {
    table.Refuse(key, absl::StrCat("\"", group, "\" is not a DN"));
  }
  if (!IsDn(group) && ldap.group_base.empty()) {
    table.Refuse(key, "is a cn: expected \"group_base\" too, or a DN");
  }
}

void ReadServer(ConfigTable table, LdapConfig* ldap) {
  table.Read("url", &ldap->url, Required());
  table.Read("ca_file", &ldap->ca_file);
  table.Read("start_tls", &ldap->start_tls);
  table.Read("bind_dn", &ldap->bind_dn);
  table.Read("bind_password_file", &ldap->bind_password_file);
  table.Read("connect_timeout_s", &ldap->connect_timeout, Range(1, 60));
  table.Read("timeout_s", &ldap->timeout, Range(1, 60));
  ReadChoice<PasswordChange>(
      table, "password_change",
      {{"rfc3062", PasswordChange::kRfc3062},
       {"active-directory", PasswordChange::kActiveDirectory},
       {"off", PasswordChange::kOff}},
      &ldap->password_change);

  const std::string fault = LdapUrlProblem(ldap->url, ldap->start_tls);
  if (!ldap->url.empty() && !fault.empty()) table.Refuse("url", fault);
  if (!ldap->url.empty() && LdapUrlNeedsTls(ldap->url) &&
      ldap->ca_file.empty()) {
    table.Refuse("ca_file", "is missing: expected the directory's CA");
  }
  if (ldap->bind_dn.empty() != ldap->bind_password_file.empty()) {
    table.Refuse("bind_dn", "and \"bind_password_file\" go together");
  }
  if (ldap->password_change == PasswordChange::kActiveDirectory &&
      ldap->bind_dn.empty()) {
    table.Refuse("password_change",
                 "\"active-directory\" needs \"bind_dn\" too");
  }
}

void ReadPeople(ConfigTable table, LdapConfig* ldap) {
  table.Read("user_base", &ldap->user_base, Required());
  table.Read("user_filter", &ldap->user_filter);
  table.Read("name_attribute", &ldap->name_attribute);
  table.Read("mail_attribute", &ldap->mail_attribute);
  ReadChoice<UidSource>(table, "uid_source",
                        {{"ldap", UidSource::kLdap}, {"nss", UidSource::kNss}},
                        &ldap->uid_source);
  table.Read("min_uid", &ldap->min_uid, Range(1, kMaxUid));
  if (!absl::StrContains(ldap->user_filter, "%s")) {
    table.Refuse("user_filter", "expected %s, the user's name, in it");
  }
  if (!IsAttributeName(ldap->name_attribute)) {
    table.Refuse("name_attribute", "expected an attribute's name, like uid");
  }
  if (!ldap->mail_attribute.empty() && !IsAttributeName(ldap->mail_attribute)) {
    table.Refuse("mail_attribute", "expected an attribute's name, like mail");
  }
}

void ReadGroups(ConfigTable table, LdapConfig* ldap) {
  table.Read("group_base", &ldap->group_base);
  table.Read("group_filter", &ldap->group_filter);
  table.Read("member_of", &ldap->member_of);
  ReadChoice<NestedGroups>(table, "nested_groups",
                           {{"off", NestedGroups::kOff},
                            {"walk", NestedGroups::kWalk},
                            {"in_chain", NestedGroups::kInChain}},
                           &ldap->nested_groups);
  table.Read("allowed_group", &ldap->allowed_group, Required());
  table.Read("manager_group", &ldap->manager_group);
  table.Read("support_group", &ldap->support_group);
  table.Read("admin_group", &ldap->admin_group);
  if (ldap->group_filter.empty() && !ldap->member_of &&
      ldap->nested_groups != NestedGroups::kInChain) {
    table.Refuse("group_filter", "is empty: expected member_of = true then");
  }
  CheckGroup(table, "allowed_group", ldap->allowed_group, *ldap);
  CheckGroup(table, "manager_group", ldap->manager_group, *ldap);
  CheckGroup(table, "support_group", ldap->support_group, *ldap);
  CheckGroup(table, "admin_group", ldap->admin_group, *ldap);
  for (const auto& [key, group] :
       {std::pair("support_group", ldap->support_group),
        {"manager_group", ldap->manager_group},
        {"admin_group", ldap->admin_group}}) {
    if (group == "*") table.Refuse(key, "must not be everybody");
  }
}

}  // namespace

std::vector<std::string> LdapConfig::Groups() const {
  return {allowed_group, manager_group, support_group, admin_group};
}

void ReadLdapConfig(ConfigTable table, LdapConfig* config) {
  ReadServer(table, config);
  ReadPeople(table, config);
  ReadGroups(table, config);
}

std::vector<std::string> LdapAddresses(const std::string& url) {
  return absl::StrSplit(url, ' ', absl::SkipEmpty());
}

std::string LdapUrlProblem(const std::string& url, bool start_tls) {
  const std::vector<std::string> addresses = LdapAddresses(url);
  for (const std::string& address : addresses) {
    const bool plain = absl::StartsWithIgnoreCase(address, "ldap://");
    if (!plain && !absl::StartsWithIgnoreCase(address, "ldaps://") &&
        !absl::StartsWithIgnoreCase(address, "ldapi://")) {
      return absl::StrCat("\"", address,
                          "\": expected ldaps://, ldap:// or ldapi://");
    }
    if (!SameScheme(address, addresses.front())) {
      return "mixes kinds of addresses: expected one kind";
    }
    if (plain && !start_tls) {
      return absl::StrCat("\"", address,
                          "\" would carry passwords in the clear: expected "
                          "ldaps://, or start_tls = true");
    }
  }
  return addresses.empty() ? "must not be empty" : "";
}

bool LdapUrlNeedsTls(const std::string& url) {
  return !absl::StartsWithIgnoreCase(url, "ldapi://");
}

}  // namespace carme::backend
