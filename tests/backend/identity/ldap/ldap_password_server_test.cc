// Responses of a directory with a password policy, and changes of passwords.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/backend/identity/ldap/ldap_checks.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;
constexpr auto kAgainstRules = absl::StatusCode::kInvalidArgument;
// The overlay writes on its own account what binds leave behind.
constexpr char kOverlay[] =
    "rootdn \"cn=policy,dc=carme,dc=test\"\noverlay ppolicy\n"
    "ppolicy_use_lockout";
constexpr char kNew[] = "correct horse battery";

std::string Policy(const std::string& name, const std::string& rules) {
  return absl::StrCat("dn: cn=", name, ",ou=services,", SlapdServer::kBase,
                      "\nobjectClass: device\nobjectClass: pwdPolicy\ncn: ",
                      name, "\npwdAttribute: userPassword\n", rules, "\n");
}

std::string Under(const std::string& policy, const std::string& more = "") {
  return absl::StrCat("pwdPolicySubentry: cn=", policy, ",ou=services,",
                      SlapdServer::kBase, "\n", more);
}

constexpr char kLongAgo[] = "pwdChangedTime: 20200101000000Z\n";

std::string Entries() {
  const std::string lately =
      absl::FormatTime("pwdChangedTime: %Y%m%d%H%M%SZ\n",
                       absl::Now() - absl::Hours(30), absl::UTCTimeZone());
  const auto person = SlapdServer::Person;
  return Policy("age", "pwdMaxAge: 864000\n") +
         Policy("grace", "pwdMaxAge: 864000\npwdGraceAuthNLimit: 3\n") +
         Policy("last", "pwdMaxAge: 864000\npwdGraceAuthNLimit: 1\n") +
         Policy("warning", "pwdMaxAge: 864000\npwdExpireWarning: 860000\n") +
         Policy("reset", "pwdMustChange: TRUE\n") +
         Policy("lockout", "pwdLockout: TRUE\npwdMaxFailure: 3\n") +
         Policy("long", "pwdMinLength: 40\npwdCheckQuality: 2\n") +
         Policy("history", "pwdInHistory: 5\n") +
         Policy("young", "pwdMinAge: 864000\n") +
         Policy("fixed", "pwdAllowUserChange: FALSE\n") +
         person("old", 20020, Under("age", kLongAgo)) +
         person("grace", 20021, Under("grace", kLongAgo)) +
         person("last", 20022, Under("last", kLongAgo)) +
         person("soon", 20023, Under("warning", lately)) +
         person("reset", 20024, Under("reset", "pwdReset: TRUE\n")) +
         person("locked", 20025,
                Under("lockout", "pwdAccountLockedTime: 000001010000Z\n")) +
         person("long", 20026, Under("long")) +
         person("history", 20027, Under("history")) +
         person("young", 20028, Under("young", lately)) +
         person("fixed", 20029, Under("fixed"));
}

SlapdOptions Options() {
  return {.global_lines = "moduleload ppolicy",
          .database_lines = kOverlay,
          .entries = Entries()};
}

// For tests that use nothing up; others have one of their own.
const SlapdServer& Slapd() {
  static const SlapdServer server(Options());
  return server;
}

LdapConfig Everybody(const SlapdServer& server) {
  LdapConfig config = server.Config();
  config.allowed_group = "*";
  return config;
}

absl::Status Change(const LdapConfig& config, const std::string& name,
                    const std::string& old_password,
                    const std::string& new_password) {
  auto directory = LdapDirectory::Create(config);
  REQUIRE_THAT(directory, IsOk());
  const absl::Status status =
      (*directory)->ChangePassword(name, old_password, new_password);
  UNSCOPED_INFO(status);
  return status;
}

absl::Status Change(const LdapConfig& config, const std::string& name) {
  return Change(config, name, "password of " + name, kNew);
}

bool Says(const absl::Status& status, absl::string_view words) {
  INFO(status);
  CHECK(absl::StrContains(status.message(), words));
  return absl::StrContains(status.message(), words);
}

TEST_CASE("ldap password: a wrong password does not reveal its state",
          "[backend]") {
  const LdapConfig config = Everybody(Slapd());
  for (const std::string name :
       {"old", "grace", "last", "soon", "reset", "locked", "ada", "nobody"}) {
    INFO(name);
    CHECK_THAT(Check(config, name, "wrong"), StatusIs(kNo));
  }
}

TEST_CASE("ldap password: an account that is locked is refused", "[backend]") {
  const auto locked = Check(Everybody(Slapd()), "locked");
  CHECK_THAT(locked, StatusIs(kNo));
  CHECK(Says(locked.status(), "account locked"));  // for the log
}

TEST_CASE("ldap password: too many guesses lock it in the directory",
          "[backend]") {
  SlapdServer server(
      {.global_lines = "moduleload ppolicy",
       .database_lines = kOverlay,
       .entries = Policy("lockout", "pwdLockout: TRUE\npwdMaxFailure: 3\n") +
                  SlapdServer::Person("guessed", 20040, Under("lockout"))});
  const LdapConfig config = Everybody(server);
  CHECK(CodeOf(config, "guessed") == kYes);
  for (int i = 0; i < 3; ++i) {
    CHECK_THAT(Check(config, "guessed", "wrong"), StatusIs(kNo));
  }
  CHECK(CodeOf(config, "guessed") == kNo);
}

TEST_CASE("ldap password: refuses an expired password", "[backend]") {
  const auto check = Check(Everybody(Slapd()), "old");
  REQUIRE_THAT(check, IsOk());
  CHECK(check->must_change);
  CHECK(check->message ==
        "your password has expired, and cannot be changed here: ask your "
        "administrator for a new one");
  const absl::Status change = Change(Everybody(Slapd()), "old");
  CHECK_THAT(change, StatusIs(kRefused));
  CHECK(Says(change, "has expired, and the directory accepts no new one"));
}

TEST_CASE("ldap password: an expiry message does not prove the password",
          "[backend]") {
  // Without its root entry it is not recognized as slapd.
  SlapdServer server({.global_lines = "moduleload ppolicy\n"
                                      "access to dn.base=\"\" by * none",
                      .database_lines = kOverlay,
                      .entries = Entries()});
  const LdapConfig config = Everybody(server);
  CHECK(CodeOf(config, "ada") == kYes);
  CHECK(CodeOf(config, "old") == kNo);
  CHECK_THAT(Change(config, "old"), StatusIs(kNo));
}

TEST_CASE("ldap password: reports one that must be changed", "[backend]") {
  const auto check = Check(Everybody(Slapd()), "reset");
  REQUIRE_THAT(check, IsOk());
  CHECK(check->must_change);
  CHECK(check->message == "your password must be changed: choose a new one");
}

TEST_CASE("ldap password: one in its last logins", "[backend]") {
  SlapdServer server(Options());
  LdapConfig config = Everybody(server);
  auto check = Check(config, "grace");
  REQUIRE_THAT(check, IsOk());
  CHECK(check->must_change);
  CHECK(check->message == "your password has expired: 2 logins are left");
  config.password_change = PasswordChange::kOff;
  check = Check(config, "grace");
  REQUIRE_THAT(check, IsOk());
  CHECK_FALSE(check->must_change);
  // No login would be left to change it with.
  config.password_change = PasswordChange::kRfc3062;
  check = Check(config, "last");
  REQUIRE_THAT(check, IsOk());
  CHECK_FALSE(check->must_change);
  CHECK(absl::StrContains(check->message, "this was the last"));
}

TEST_CASE("ldap password: reports one that expires soon", "[backend]") {
  const auto check = Check(Everybody(Slapd()), "soon");
  REQUIRE_THAT(check, IsOk());
  CHECK_FALSE(check->must_change);
  CHECK(check->message == "your password expires in 8 days");
}

TEST_CASE("ldap password: no message without a password policy response",
          "[backend]") {
  const auto check = Check(Everybody(Slapd()), "ada");
  REQUIRE_THAT(check, IsOk());
  CHECK_FALSE(check->must_change);
  CHECK(check->message.empty());
}

TEST_CASE("ldap password: a user cannot change another user's password",
          "[backend]") {
  const LdapConfig config = Everybody(Slapd());
  CHECK_THAT(Change(config, "ada", "wrong", kNew), StatusIs(kNo));
  CHECK_THAT(Change(config, "ada", "password of bob", kNew), StatusIs(kNo));
  CHECK_THAT(Change(config, "ada", "", kNew), StatusIs(kNo));
  CHECK_THAT(Change(config, "", "password of ada", kNew), StatusIs(kNo));
  CHECK_THAT(Change(config, "*", "password of ada", kNew), StatusIs(kNo));
  CHECK_THAT(Change(config, "nobody", "password of ada", kNew), StatusIs(kNo));
  CHECK_THAT(Change(Slapd().Config(), "eve"), StatusIs(kNo));  // not allowed
  CHECK(CodeOf(config, "ada") == kYes);
}

TEST_CASE("ldap password: the site's rules come first", "[backend]") {
  const LdapConfig config = Everybody(Slapd());
  for (const std::string wrong : {"", "short", "of password kind",
                                  "ada wants another", "password of ada"}) {
    INFO(wrong);
    CHECK_THAT(Change(config, "ada", "password of ada", wrong),
               StatusIs(kAgainstRules));
  }
  CHECK(CodeOf(config, "ada") == kYes);
}

TEST_CASE("ldap password: explains a refusal of the directory", "[backend]") {
  const LdapConfig config = Everybody(Slapd());
  struct Row {
    std::string name;
    std::string words;
  };
  for (const Row& row : {
           Row{"long", "rejected the new password: too short"},
           Row{"young", "changed too recently"},
           Row{"fixed", "does not allow you to change your password"},
       }) {
    INFO(row.name);
    const absl::Status change = Change(config, row.name);
    CHECK_THAT(change, StatusIs(kRefused));
    CHECK(Says(change, row.words));
    CHECK(CodeOf(config, row.name) == kYes);
  }
}

TEST_CASE("ldap password: one that was there before is refused", "[backend]") {
  SlapdServer server(Options());
  const LdapConfig config = Everybody(server);
  REQUIRE_THAT(Change(config, "history"), IsOk());
  REQUIRE_THAT(Change(config, "history", kNew, "another horse, battery"),
               IsOk());
  const absl::Status again =
      Change(config, "history", "another horse, battery", kNew);
  CHECK_THAT(again, StatusIs(kRefused));
  CHECK(Says(again, "you have used the new password before"));
}

TEST_CASE("ldap password: not changed without permission of the directory",
          "[backend]") {
  SlapdServer server({.global_lines = "disallow bind_anon\nrestrict extended"});
  LdapConfig config = Everybody(server);
  const absl::Status change = Change(config, "ada");
  CHECK_THAT(change, StatusIs(kRefused));
  CHECK(Says(change, "the directory refused the new password"));
  config.password_change = PasswordChange::kOff;
  CHECK(Says(Change(config, "ada"), "cannot be changed in Carme"));
  auto directory = LdapDirectory::Create(config);
  REQUIRE_THAT(directory, IsOk());
  CHECK_FALSE((*directory)->ChangesPasswords());
  CHECK((*directory)->PasswordRules().empty());
}

TEST_CASE("ldap password: a changed one opens, the old one no longer",
          "[backend]") {
  SlapdServer server(Options());
  LdapConfig config = Everybody(server);
  CHECK_THAT(Change(config, "ADA", "password of ada", kNew), IsOk());
  CHECK_THAT(Check(config, "ada", kNew), IsOk());
  CHECK(CodeOf(config, "ada") == kNo);
  config.url = server.LdapUrl();
  config.start_tls = true;
  CHECK_THAT(Change(config, "bob"), IsOk());
  config.url = server.LdapiUrl();
  CHECK_THAT(Change(config, "carol"), IsOk());
}

TEST_CASE("ldap password: changed when it must be, it opens", "[backend]") {
  SlapdServer server(Options());
  const LdapConfig config = Everybody(server);
  for (const std::string name : {"reset", "grace"}) {
    INFO(name);
    CHECK_THAT(Change(config, name), IsOk());
    const auto check = Check(config, name, kNew);
    REQUIRE_THAT(check, IsOk());
    CHECK_FALSE(check->must_change);
  }
}

}  // namespace
}  // namespace carme::backend
