// What the tests of LdapDirectory ask a server.
#ifndef CARME_TESTS_BACKEND_IDENTITY_LDAP_LDAP_CHECKS_H_
#define CARME_TESTS_BACKEND_IDENTITY_LDAP_LDAP_CHECKS_H_

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "backend/identity/ldap/ldap_directory.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {

constexpr auto kNo = absl::StatusCode::kUnauthenticated;
constexpr auto kUnclear = absl::StatusCode::kUnavailable;
constexpr auto kYes = absl::StatusCode::kOk;

inline absl::StatusOr<PasswordCheck> Check(const LdapConfig& config,
                                           const std::string& username,
                                           const std::string& password) {
  auto directory = LdapDirectory::Create(config);
  // Of any thread, where nothing may be required.
  if (!directory.ok()) throw std::runtime_error(directory.status().ToString());
  return (*directory)->CheckPassword(username, password);
}

// With the password that SlapdServer gives each user.
inline absl::StatusOr<PasswordCheck> Check(const LdapConfig& config,
                                           const std::string& username) {
  return Check(config, username, "password of " + username);
}

inline absl::StatusCode CodeOf(const LdapConfig& config,
                               const std::string& username) {
  const absl::Status status = Check(config, username).status();
  UNSCOPED_INFO(status);
  return status.code();
}

inline absl::StatusOr<Person> LookUp(const LdapConfig& config,
                                     const std::string& username) {
  auto directory = LdapDirectory::Create(config);
  REQUIRE_THAT(directory, IsOk());
  return (*directory)->LookUp(username);
}

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_IDENTITY_LDAP_LDAP_CHECKS_H_
