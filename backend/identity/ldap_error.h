// libldap's errors as text, with the server's own words.
#ifndef CARME_BACKEND_IDENTITY_LDAP_ERROR_H_
#define CARME_BACKEND_IDENTITY_LDAP_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

struct ldap;

namespace carme::backend {

// "Invalid credentials (AcceptSecurityContext error …)"
std::string LdapErrorText(int code, std::string_view diagnostic);

// UNAVAILABLE, about what has just failed on `handle`, which may be null.
absl::Status LdapUnclear(ldap* handle, int code, std::string_view what);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_ERROR_H_
