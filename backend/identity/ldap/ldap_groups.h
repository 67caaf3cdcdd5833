// The groups of a person in the directory, and what the configuration's group
// names mean among them.
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

// At most so many groups of one person, and so many levels of groups in groups.
inline constexpr int kMaxLdapGroups = 5000;
inline constexpr int kMaxLdapGroupLevels = 10;

// Each once; groups that contain each other are no harm. OUT_OF_RANGE: more
// than can be told. UNAVAILABLE: no clear answer.
absl::StatusOr<std::vector<LdapGroup>> FindLdapGroups(
    LdapConnection& connection, const LdapConfig& config, const LdapEntry& user,
    const std::string& username);

// The cn of a group below group_base as the directory writes it; empty: there
// is none. UNAVAILABLE: no clear answer.
absl::StatusOr<std::string> FindLdapGroup(LdapConnection& connection,
                                          const LdapConfig& config,
                                          std::string_view name);

// `wanted` as the configuration has it: a DN; a cn, which a group elsewhere
// than below group_base has in vain; "*" for everybody; empty for nobody.
bool IsAmong(const std::vector<LdapGroup>& groups, const std::string& wanted);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_GROUPS_H_
