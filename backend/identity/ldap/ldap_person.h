// A person as the directory has them: entry, uid, groups, role.
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
  // Whose password it would be; an entry that nobody has when there is none.
  std::string dn;
  // Why nobody may log in with it, for the log; empty: `person` may.
  std::string refusal;
  // The refusal is for want of knowledge: two entries, more groups than can be
  // told, or an account that the name service does not know.
  bool unclear = false;
  Person person;
};

// The same questions to the directory whether the name is known or not; groups
// in groups make more. UNAVAILABLE: no clear answer.
//
// Refused: a name that no account can have, typed or in the entry; two entries
// of one name; a uid that is absent, under min_uid, or that of two entries;
// who is not in the allowed group.
absl::StatusOr<LdapPerson> ReadLdapPerson(LdapConnection& connection,
                                          const LdapConfig& config,
                                          std::string_view username);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_PERSON_H_
