// Distinguished names (RFC 4514) and attribute names, compared as directories
// compare them.
#ifndef CARME_BACKEND_IDENTITY_LDAP_NAME_H_
#define CARME_BACKEND_IDENTITY_LDAP_NAME_H_

#include <optional>
#include <string>
#include <string_view>

namespace carme {

// One spelling for all spellings of a DN: of spaces, escapes and case. Nothing:
// it is no DN, or the empty one.
std::optional<std::string> CanonicalDn(const std::string& dn);

// REQUIRES: both are canonical. A DN is not below itself.
bool IsBelow(std::string_view dn, std::string_view base);

// The cn that the DN begins with, as it is written; empty when it begins with
// something else.
std::string LeadingCn(const std::string& dn);

// A letter, then letters, digits and hyphens, 64 at most (RFC 4512, 1.4).
bool IsAttributeName(std::string_view name);

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_LDAP_NAME_H_
