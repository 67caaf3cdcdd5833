// Active Directory encodings of SIDs, account states and passwords.
#ifndef CARME_BACKEND_IDENTITY_LDAP_ACTIVE_DIRECTORY_H_
#define CARME_BACKEND_IDENTITY_LDAP_ACTIVE_DIRECTORY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace carme::backend {

// The null SID ([MS-DTYP] 2.4.2.4).
inline constexpr char kNullSid[] = "S-1-0-0";

// The SID of a user's primary group as text ("S-1-5-21-1-2-3-513"), from the
// bytes of objectSid and from primaryGroupID: the same domain with another
// number. nullopt: one of the two is invalid.
std::optional<std::string> PrimaryGroupSid(std::string_view object_sid,
                                           std::string_view group_id);

// Why an account may not be used, from its userAccountControl and
// accountExpires; each is empty if the entry has none, as in other directories.
// Empty: it may be used.
std::string AccountProblem(std::string_view control, std::string_view expires,
                           absl::Time now);

// A password as a value of unicodePwd. nullopt: invalid UTF-8.
std::optional<std::string> EncodeUnicodePwd(std::string_view password);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_ACTIVE_DIRECTORY_H_
