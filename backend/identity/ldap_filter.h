// LDAP search filters (RFC 4515) made of a pattern and foreign values.
#ifndef CARME_BACKEND_IDENTITY_LDAP_FILTER_H_
#define CARME_BACKEND_IDENTITY_LDAP_FILTER_H_

#include <map>
#include <string>
#include <string_view>

namespace carme::backend {

// Every byte that could mean something in a filter becomes \xx.
std::string EscapeFilterValue(std::string_view value);

// Replaces %s, %d and so on by the escaped values given for `s`, `d`; what
// stands in a value is never replaced again. `%` before another letter stays.
std::string FillFilter(std::string_view pattern,
                       const std::map<char, std::string_view>& values);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_FILTER_H_
