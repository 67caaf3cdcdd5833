// Distinguished names (RFC 4514), attribute names, and search filters (RFC
// 4515).
#ifndef CARME_BACKEND_IDENTITY_LDAP_LDAP_NAME_H_
#define CARME_BACKEND_IDENTITY_LDAP_LDAP_NAME_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace carme::backend {

// The canonical spelling of a DN (spaces, escapes, case). nullopt: invalid or
// empty.
std::optional<std::string> CanonicalDn(const std::string& dn);

// REQUIRES: both are canonical. A DN is not below itself.
bool IsBelow(std::string_view dn, std::string_view base);

// The cn at the beginning of the DN as written; empty if it begins with another
// attribute.
std::string LeadingCn(const std::string& dn);

// Whether it is a letter followed by letters, digits and hyphens, at most 64
// characters (RFC 4512, 1.4).
bool IsAttributeName(std::string_view name);

// An attribute with a part of its values ([MS-ADTS] 3.1.1.3.1.3.3):
// "member;range=0-1499", the last part "member;range=1500-*".
struct LdapRange {
  std::string attribute;
  size_t first = 0;
  std::optional<size_t> last;  // nothing: there are no more
};
// nullopt: `name` has no range or an invalid one.
std::optional<LdapRange> ParseLdapRange(std::string_view name);

// Escapes as \xx every byte that could be syntax in a filter.
std::string EscapeFilterValue(std::string_view value);

// Replaces %s, %d and so on with the escaped values of `s`, `d`. Values are not
// expanded again. `%` before a letter without a value stays.
std::string FillFilter(std::string_view pattern,
                       const std::map<char, std::string_view>& values);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_NAME_H_
