#include "backend/identity/ldap/ldap_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// What is wrong with a good section once `line` is added to it.
std::string Errors(const std::string& line, LdapConfig* config = nullptr) {
  LdapConfig own;
  auto file = ConfigFile::Parse(
      absl::StrCat("[ldap]\nurl = \"ldapi://%2Fsocket\"\n"
                   "user_base = \"ou=people\"\ngroup_base = \"ou=groups\"\n"
                   "allowed_group = \"users\"\n",
                   line),
      "x");
  REQUIRE_THAT(file, IsOk());
  ReadLdapConfig(file->root().Table("ldap"), config == nullptr ? &own : config);
  return std::string(file->Finish().message());
}

bool Refuses(const std::string& line, const std::string& why) {
  const std::string errors = Errors(line);
  INFO(errors);
  CHECK(errors.find(why) != std::string::npos);
  return errors.find(why) != std::string::npos;
}

TEST_CASE("ldap config: refuses an unknown choice", "[backend]") {
  CHECK(Refuses("nested_groups = \"yes\"",
                "\"yes\": expected one of \"off\", \"walk\", \"in_chain\""));
  CHECK(Refuses("uid_source = \"\"", "expected one of \"ldap\", \"nss\""));
  CHECK(Refuses("password_change = \"on\"",
                "expected one of \"rfc3062\", \"active-directory\", "
                "\"off\""));
}

TEST_CASE("ldap config: a role must not apply to all users", "[backend]") {
  for (const std::string role :
       {"manager_group", "support_group", "admin_group"}) {
    CHECK(Refuses(role + " = \"*\"", "must not be everybody"));
    CHECK(Refuses(role + " = \"cn=a,,dc=t\"", "is not a DN"));
  }
}

TEST_CASE("ldap config: bounds and names are checked", "[backend]") {
  CHECK(Refuses("min_uid = 0", "min_uid"));
  CHECK(Refuses("min_uid = 4294967295", "min_uid"));
  CHECK(Refuses("connect_timeout_s = 0", "connect_timeout_s"));
  CHECK(Refuses("name_attribute = \"uid)(\"", "expected an attribute's name"));
  CHECK(
      Refuses("mail_attribute = \"mail;x)\"", "expected an attribute's name"));
  CHECK(Refuses("group_filter = \"\"", "expected member_of = true then"));
}

TEST_CASE("ldap config: password changes in Active Directory need an account",
          "[backend]") {
  const std::string change = "password_change = \"active-directory\"\n";
  CHECK(Refuses(change, "needs \"bind_dn\" too"));
  LdapConfig config;
  CHECK(Errors(change + "bind_dn = \"cn=c\"\nbind_password_file = \"/f\"",
               &config)
            .empty());
  CHECK(config.password_change == PasswordChange::kActiveDirectory);
}

TEST_CASE("ldap config: reads the values of each enumeration", "[backend]") {
  LdapConfig config;
  CHECK(Errors("", &config).empty());
  CHECK(config.nested_groups == NestedGroups::kOff);
  CHECK(config.uid_source == UidSource::kLdap);
  CHECK(config.password_change == PasswordChange::kRfc3062);
  CHECK(Errors("nested_groups = \"in_chain\"\nuid_source = \"nss\"\n"
               "password_change = \"off\"\nmember_of = true\n"
               "group_filter = \"\"",
               &config)
            .empty());
  CHECK(config.nested_groups == NestedGroups::kInChain);
  CHECK(config.uid_source == UidSource::kNss);
  CHECK(config.password_change == PasswordChange::kOff);
}

}  // namespace
}  // namespace carme::backend
