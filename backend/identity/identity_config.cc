#include "backend/identity/identity_config.h"

#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace carme {
namespace {

constexpr int64_t kDay_s = 86400;

std::vector<std::string> Addresses(const std::string& url) {
  return absl::StrSplit(url, ' ', absl::SkipEmpty());
}

absl::string_view Scheme(absl::string_view address) {
  return address.substr(0, address.find(':'));
}

bool SameScheme(absl::string_view a, absl::string_view b) {
  return absl::EqualsIgnoreCase(Scheme(a), Scheme(b));
}

void CheckGroup(ConfigTable table, std::string_view key,
                const std::string& group, const LdapConfig& ldap) {
  if (group.empty() || group == "*" || absl::StrContains(group, '=')) return;
  if (ldap.group_base.empty()) {
    table.Refuse(key, "is a cn: expected \"group_base\" too, or a DN");
  }
}

void ReadLdap(ConfigTable table, LdapConfig* ldap) {
  table.Read("url", &ldap->url, Required());
  table.Read("ca_file", &ldap->ca_file);
  table.Read("start_tls", &ldap->start_tls);
  table.Read("bind_dn", &ldap->bind_dn);
  table.Read("bind_password_file", &ldap->bind_password_file);
  table.Read("user_base", &ldap->user_base, Required());
  table.Read("user_filter", &ldap->user_filter);
  table.Read("group_base", &ldap->group_base);
  table.Read("group_filter", &ldap->group_filter);
  table.Read("allowed_group", &ldap->allowed_group, Required());
  table.Read("admin_group", &ldap->admin_group);
  table.Read("timeout_s", &ldap->timeout, Range(1, 60));

  const std::string fault = LdapUrlFault(ldap->url, ldap->start_tls);
  if (!ldap->url.empty() && !fault.empty()) table.Refuse("url", fault);
  if (!ldap->url.empty() && LdapUrlNeedsTls(ldap->url) &&
      ldap->ca_file.empty()) {
    table.Refuse("ca_file", "is missing: expected the directory's CA");
  }
  if (ldap->bind_dn.empty() != ldap->bind_password_file.empty()) {
    table.Refuse("bind_dn", "and \"bind_password_file\" go together");
  }
  if (!absl::StrContains(ldap->user_filter, "%s")) {
    table.Refuse("user_filter", "expected %s, the user's name, in it");
  }
  if (ldap->group_filter.empty()) {
    table.Refuse("group_filter", "must not be empty");
  }
  CheckGroup(table, "allowed_group", ldap->allowed_group, *ldap);
  CheckGroup(table, "admin_group", ldap->admin_group, *ldap);
  if (ldap->admin_group == "*") {
    table.Refuse("admin_group", "must not be everybody");
  }
}

void ReadSessions(ConfigTable table, SessionsConfig* sessions) {
  table.Read("idle_timeout_s", &sessions->idle_timeout,
             Range(300, 30 * kDay_s));
  table.Read("absolute_timeout_s", &sessions->absolute_timeout,
             Range(300, 90 * kDay_s));
  table.Read("refusal_time_ms", &sessions->refusal_time, Range(0, 5000));
  table.Read("fresh_factor_s", &sessions->fresh_factor, Range(60, 3600));
  table.Read("issuer", &sessions->issuer);
  if (sessions->issuer.empty()) table.Refuse("issuer", "must not be empty");
}

void ReadTokens(ConfigTable table, TokensConfig* tokens) {
  table.Read("max_days", &tokens->max_days, Range(1, 3650));
  table.Read("most_per_user", &tokens->most_per_user, Range(0, 100));
}

}  // namespace

std::string LdapUrlFault(const std::string& url, bool start_tls) {
  for (const std::string& address : Addresses(url)) {
    const bool plain = absl::StartsWithIgnoreCase(address, "ldap://");
    if (!plain && !absl::StartsWithIgnoreCase(address, "ldaps://") &&
        !absl::StartsWithIgnoreCase(address, "ldapi://")) {
      return absl::StrCat("\"", address,
                          "\": expected ldaps://, ldap:// or ldapi://");
    }
    if (!SameScheme(address, Addresses(url).front())) {
      return "mixes kinds of addresses: expected one kind";
    }
    if (plain && !start_tls) {
      return absl::StrCat("\"", address,
                          "\" would carry passwords in the clear: expected "
                          "ldaps://, or start_tls = true");
    }
  }
  return Addresses(url).empty() ? "must not be empty" : "";
}

bool LdapUrlNeedsTls(const std::string& url) {
  return !absl::StartsWithIgnoreCase(url, "ldapi://");
}

void ReadIdentityConfig(ConfigTable root, IdentityConfig* config) {
  ReadLdap(root.Table("ldap"), &config->ldap);
  ReadSessions(root.Table("sessions"), &config->sessions);
  ReadTokens(root.Table("tokens"), &config->tokens);
  ReadFactorsConfig(root, &config->factors);
}

}  // namespace carme
