// The groups of a user in the directory, matched with the configured groups.
#ifndef CARME_BACKEND_IDENTITY_LDAP_LDAP_GROUPS_H_
#define CARME_BACKEND_IDENTITY_LDAP_LDAP_GROUPS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/identity/ldap/ldap_config.h"

namespace carme::backend {

class LdapConnection;
struct LdapEntry;

struct LdapGroup {
  std::string dn;    // canonical
  std::string name;  // its cn; empty unless it is below group_base
};

// Maximum number of groups of a user, and of levels of nested groups.
inline constexpr int kMaxLdapGroups = 5000;
inline constexpr int kMaxLdapGroupLevels = 10;

// The entries below group_base that are groups: users may be below it, too, and
// have a cn.
inline constexpr char kLdapGroupFilter[] =
    "(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)"
    "(objectClass=posixGroup)(objectClass=group)(member=*)(uniqueMember=*)"
    "(memberUid=*))";

// Returns each group once; cycles are allowed. OUT_OF_RANGE: too many groups.
// UNAVAILABLE: no definite response.
absl::StatusOr<std::vector<LdapGroup>> FindLdapGroups(
    LdapConnection& connection, const LdapConfig& config, const LdapEntry& user,
    const std::string& username);

// The cn of a group below group_base as spelled in the directory; empty: not
// found. UNAVAILABLE: no definite response.
absl::StatusOr<std::string> FindLdapGroup(LdapConnection& connection,
                                          const LdapConfig& config,
                                          std::string_view name);

// `wanted` is a configured group: a DN; a cn, which matches only groups below
// group_base; "*" for all users; empty for none.
bool IsAmong(const std::vector<LdapGroup>& groups, const std::string& wanted);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_GROUPS_H_
