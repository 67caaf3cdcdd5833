// A directory that locks an account at the fifth wrong password and never
// forgets any: slapd with the ppolicy overlay.
#ifndef CARME_TESTS_BACKEND_IDENTITY_LDAP_LOCKING_SLAPD_H_
#define CARME_TESTS_BACKEND_IDENTITY_LDAP_LOCKING_SLAPD_H_

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/ldap/ldap_connection.h"
#include "common/file.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {

inline constexpr int kLocksAt = 5;

inline SlapdOptions LockingSlapd() {
  const std::string base = SlapdServer::kBase;
  return {
      .global_lines = "moduleload ppolicy",
      .database_lines = "rootdn \"cn=policy," + base +
                        "\"\noverlay ppolicy\n"
                        "ppolicy_default \"cn=lock,ou=services," +
                        base + "\"",
      .entries = absl::StrCat("dn: cn=lock,ou=services,", base,
                              "\nobjectClass: device\nobjectClass: pwdPolicy\n"
                              "cn: lock\npwdAttribute: userPassword\n"
                              "pwdLockout: TRUE\npwdMaxFailure: ",
                              kLocksAt, "\npwdFailureCountInterval: 0\n")};
}

// What the directory itself notes of the account.
inline size_t Noted(const LdapConfig& config, const std::string& name,
                    const std::string& attribute) {
  const auto connection = LdapConnection::Open(config, config.url).value();
  REQUIRE_THAT(
      connection->Bind(config.bind_dn,
                       ReadSecretFile(config.bind_password_file).value()),
      IsOk());
  auto found = connection->Search(config.user_base, LdapScope::kSubtree,
                                  "(uid=" + name + ")", {attribute}, 1);
  REQUIRE(found.value().size() == 1);
  return found->front().values[absl::AsciiStrToLower(attribute)].size();
}

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_IDENTITY_LDAP_LOCKING_SLAPD_H_
