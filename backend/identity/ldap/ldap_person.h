// A user in the directory: entry, uid, groups, role.
#ifndef CARME_BACKEND_IDENTITY_LDAP_LDAP_PERSON_H_
#define CARME_BACKEND_IDENTITY_LDAP_LDAP_PERSON_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "backend/identity/ldap/ldap_config.h"
#include "backend/identity/person.h"

namespace carme::backend {

class LdapConnection;

struct LdapPerson {
  // The entry for the bind; a nonexistent entry if the user does not exist.
  std::string dn;
  // Why the user may not log in, for the log; empty: allowed.
  std::string refusal;
  // The refusal is not definite: two entries, too many groups, or an account
  // unknown to the name service.
  bool unclear = false;
  Person person;
};

// Runs the same searches for known and unknown names; nested groups need more.
// UNAVAILABLE: no definite response.
//
// Refused: an invalid user name, typed or in the entry; two entries of one
// name; a uid that is missing, below min_uid, or in two entries; users who are
// not in the allowed group.
absl::StatusOr<LdapPerson> ReadLdapPerson(LdapConnection& connection,
                                          const LdapConfig& config,
                                          std::string_view username);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_PERSON_H_
