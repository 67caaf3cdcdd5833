// Section [ldap] of backend.toml: where the site's directory is, and what a
// person and a group look like in it.
#ifndef CARME_BACKEND_IDENTITY_LDAP_CONFIG_H_
#define CARME_BACKEND_IDENTITY_LDAP_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/identity/password_news.h"
#include "common/config.h"

namespace carme::backend {

// How groups that are members of groups count.
enum class NestedGroups {
  kOff,      // not at all
  kWalk,     // Carme walks upwards, level by level
  kInChain,  // Active Directory does, in one search
};

enum class UidSource {
  kLdap,  // uidNumber of the entry
  kNss,   // the name service of the backend's host
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
  // %s: the name that was typed, escaped.
  std::string user_filter = "(&(objectClass=posixAccount)(uid=%s))";
  std::string name_attribute = "uid";  // what the person is called from then on
  // Where mails to the person go; empty: nowhere.
  std::string mail_attribute = "mail";
  UidSource uid_source = UidSource::kLdap;
  int64_t min_uid = 1000;  // 1 to 2^32-2
  std::string group_base;
  // %s: the name as the directory has it; %d: the entry's DN; %g: its
  // gidNumber. All escaped. Empty: groups are not searched for.
  std::string group_filter =
      "(|(&(objectClass=posixGroup)(|(memberUid=%s)(gidNumber=%g)))"
      "(member=%d)(uniqueMember=%d))";
  bool member_of = false;  // memberOf of the person's entry counts too
  NestedGroups nested_groups = NestedGroups::kOff;
  // A cn below group_base, or a DN. "*": everybody the user_filter finds.
  std::string allowed_group;
  // Likewise, without "*"; empty: nobody.
  std::string manager_group;
  std::string support_group;
  std::string admin_group;
  PasswordChange password_change = PasswordChange::kRfc3062;
  absl::Duration connect_timeout = absl::Seconds(3);  // with TLS; 1 to 60 s
  absl::Duration timeout = absl::Seconds(5);          // of each step; 1 to 60 s

  // The four above that name a group.
  std::vector<std::string> Groups() const;
};

// What is wrong with it is reported by Finish().
void ReadLdapConfig(ConfigTable table, LdapConfig* config);

// The addresses in `url`, in order.
std::vector<std::string> LdapAddresses(const std::string& url);
// What is wrong with `url`, or nothing: every address must be protected.
std::string LdapUrlFault(const std::string& url, bool start_tls);
// Whether `url` is reached over TLS; false: over a unix socket.
bool LdapUrlNeedsTls(const std::string& url);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_CONFIG_H_
