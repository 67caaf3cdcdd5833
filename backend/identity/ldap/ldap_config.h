// Section [ldap] of backend.toml: the addresses of the site's directory, and
// the schema of users and groups.
#ifndef CARME_BACKEND_IDENTITY_LDAP_LDAP_CONFIG_H_
#define CARME_BACKEND_IDENTITY_LDAP_LDAP_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/identity/ldap/password_status.h"
#include "common/config/config.h"

namespace carme::backend {

// How groups that are members of groups are resolved.
enum class NestedGroups {
  kOff,      // ignored
  kWalk,     // by Carme, level by level
  kInChain,  // by Active Directory, in one search
};

enum class UidSource {
  kLdap,  // uidNumber of the entry
  kNss,   // name service of the backend's host
};

// deploy/config/backend.toml explains each key.
struct LdapConfig {
  // One or more addresses with a space between, tried in order, all of one
  // kind: ldaps://, or ldap:// with start_tls, or ldapi://.
  std::string url;
  std::string ca_file;             // PEM; needed unless the url is ldapi
  bool start_tls = false;          // for ldap://
  std::string bind_dn;             // empty: search anonymously
  std::string bind_password_file;  // mode 0640 or stricter
  std::string user_base;
  // %s: the typed user name, escaped.
  std::string user_filter = "(&(objectClass=posixAccount)(uid=%s))";
  std::string name_attribute = "uid";  // the user name in Carme
  // The e-mail address; empty: no e-mails.
  std::string mail_attribute = "mail";
  UidSource uid_source = UidSource::kLdap;
  int64_t min_uid = 1000;  // 1 to 2^32-2
  std::string group_base;
  // %s: the user name; %d: the DN of the entry; %g: its gidNumber. All escaped.
  // Empty: no search for groups.
  std::string group_filter =
      "(|(&(objectClass=posixGroup)(|(memberUid=%s)(gidNumber=%g)))"
      "(member=%d)(uniqueMember=%d))";
  bool member_of = false;  // also use memberOf of the entry
  NestedGroups nested_groups = NestedGroups::kOff;
  // A cn below group_base, or a DN. "*": every user that user_filter finds.
  std::string allowed_group;
  // Likewise, without "*"; empty: no users.
  std::string manager_group;
  std::string support_group;
  std::string admin_group;
  PasswordChange password_change = PasswordChange::kRfc3062;
  absl::Duration connect_timeout = absl::Seconds(3);  // with TLS; 1 to 60 s
  absl::Duration timeout = absl::Seconds(5);          // of each step; 1 to 60 s

  // The four groups above.
  std::vector<std::string> Groups() const;
};

// Finish() reports invalid values.
void ReadLdapConfig(ConfigTable table, LdapConfig* config);

// The addresses in `url`, in order.
std::vector<std::string> LdapAddresses(const std::string& url);
// The problem with `url`; empty: none. Every address must be protected.
std::string LdapUrlProblem(const std::string& url, bool start_tls);
// Whether `url` is reached over TLS; false: over a unix socket.
bool LdapUrlNeedsTls(const std::string& url);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_CONFIG_H_
