// The domain that the tests against Samba share. A test that spoils a person
// has a person of its own.
#ifndef CARME_TESTS_BACKEND_IDENTITY_LDAP_SAMBA_DOMAIN_H_
#define CARME_TESTS_BACKEND_IDENTITY_LDAP_SAMBA_DOMAIN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/servers/samba_server.h"

namespace carme::backend {

inline constexpr size_t kManyGroups = 2000;

const SambaServer& Samba();

std::vector<std::string> Sorted(std::vector<std::string> words);

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_IDENTITY_LDAP_SAMBA_DOMAIN_H_
