// The sections of backend.toml that say who people are: [ldap], [sessions],
// [factors].
#ifndef CARME_BACKEND_IDENTITY_IDENTITY_CONFIG_H_
#define CARME_BACKEND_IDENTITY_IDENTITY_CONFIG_H_

#include <string>

#include "absl/time/time.h"
#include "backend/identity/factor_policy.h"
#include "common/config.h"

namespace carme {

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
  std::string group_base;
  // %s: the name as the directory has it; %d: the entry's DN; %g: its
  // gidNumber. All escaped.
  std::string group_filter =
      "(|(&(objectClass=posixGroup)(|(memberUid=%s)(gidNumber=%g)))"
      "(member=%d))";
  // A cn below group_base, or a DN. "*": everybody the user_filter finds.
  std::string allowed_group;
  std::string admin_group;  // likewise, without "*"; empty: nobody
  absl::Duration timeout = absl::Seconds(5);  // of each step; 1 to 60 s
};

struct SessionsConfig {
  absl::Duration idle_timeout = absl::Hours(8);       // 5 min to 30 days
  absl::Duration absolute_timeout = absl::Hours(24);  // 5 min to 90 days
  // A refused log-in is answered after a multiple of this. 0 to 5 s.
  absl::Duration refusal_time = absl::Milliseconds(400);
  // For so long after a second factor what is dangerous may be done. 1 min to
  // an hour.
  absl::Duration fresh_factor = absl::Minutes(10);
  std::string issuer = "Carme";  // how authenticator apps label the account
};

struct TokensConfig {
  int max_days = 365;      // the longest life of an access token; 1 to 3650
  int most_per_user = 20;  // live ones; 0 (nobody has any) to 100
};

struct IdentityConfig {
  LdapConfig ldap;
  SessionsConfig sessions;
  TokensConfig tokens;
  FactorsConfig factors;
};

// Reads both sections; what is wrong with them is reported by Finish().
void ReadIdentityConfig(ConfigTable root, IdentityConfig* config);

// What is wrong with `url`, or nothing: every address must be protected.
std::string LdapUrlFault(const std::string& url, bool start_tls);
// Whether `url` is reached over TLS; false: over a unix socket.
bool LdapUrlNeedsTls(const std::string& url);

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_IDENTITY_CONFIG_H_
