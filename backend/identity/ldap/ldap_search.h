// Searches for the names of users and groups by their beginning.
#ifndef CARME_BACKEND_IDENTITY_LDAP_LDAP_SEARCH_H_
#define CARME_BACKEND_IDENTITY_LDAP_LDAP_SEARCH_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "backend/identity/directory_search.h"
#include "backend/identity/ldap/ldap_config.h"

namespace carme::backend {

class LdapConnection;

// As DirectorySearch. A server may find the same name in two entries; it is
// returned once.
absl::StatusOr<DirectoryNames> SearchLdapUsers(LdapConnection& connection,
                                               const LdapConfig& config,
                                               std::string_view beginning,
                                               int max);
absl::StatusOr<DirectoryNames> SearchLdapGroups(LdapConnection& connection,
                                                const LdapConfig& config,
                                                std::string_view beginning,
                                                int max);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_SEARCH_H_
