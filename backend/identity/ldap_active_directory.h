// Active Directory's own encodings: of SIDs, states of accounts, passwords.
#ifndef CARME_BACKEND_IDENTITY_LDAP_ACTIVE_DIRECTORY_H_
#define CARME_BACKEND_IDENTITY_LDAP_ACTIVE_DIRECTORY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace carme::backend {

// The SID of nobody ([MS-DTYP] 2.4.2.4).
inline constexpr char kNullSid[] = "S-1-0-0";

// The SID of a person's primary group, in words ("S-1-5-21-1-2-3-513"), from
// the bytes of their objectSid and from their primaryGroupID: the same domain,
// another number. Nothing: one of the two is none.
std::optional<std::string> PrimaryGroupSid(std::string_view object_sid,
                                           std::string_view group_id);

// Why nobody may use an account, from its userAccountControl and its
// accountExpires; each is empty when the entry has none, as in other
// directories. Empty: it may be used.
std::string AccountFault(std::string_view control, std::string_view expires,
                         absl::Time now);

// A password as a value of unicodePwd. Nothing: it is no UTF-8.
std::optional<std::string> UnicodePassword(std::string_view password);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_ACTIVE_DIRECTORY_H_
