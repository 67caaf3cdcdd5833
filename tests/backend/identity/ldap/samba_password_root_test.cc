// Passwords in a real domain controller: their states, and changes.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "tests/backend/identity/ldap/ldap_checks.h"
#include "tests/backend/identity/ldap/samba_domain.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;
constexpr char kNew[] = "correct horse battery";

absl::Status Change(const LdapConfig& config, const std::string& name,
                    const std::string& old_password,
                    const std::string& new_password = kNew) {
  auto directory = LdapDirectory::Create(config);
  REQUIRE_THAT(directory, IsOk());
  const absl::Status status =
      (*directory)->ChangePassword(name, old_password, new_password);
  UNSCOPED_INFO(status);
  return status;
}

TEST_CASE("samba password: a user cannot change another user's password",
          "[backend]") {
  const LdapConfig config = Samba().Config();
  CHECK_THAT(Change(config, "ada", "wrong"), StatusIs(kNo));
  CHECK_THAT(Change(config, "ada", "password of Grace"), StatusIs(kNo));
  CHECK_THAT(Change(config, "ada", ""), StatusIs(kNo));
  CHECK_THAT(Change(config, "nobody", "password of ada"), StatusIs(kNo));
  CHECK_THAT(Change(config, "reset", "wrong"), StatusIs(kNo));
  CHECK_THAT(Change(config, "left", "password of left"), StatusIs(kNo));
  CHECK(CodeOf(config, "ada") == kYes);
}

TEST_CASE("samba password: the operation of RFC 3062 is refused", "[backend]") {
  LdapConfig config = Samba().Config();
  config.password_change = PasswordChange::kRfc3062;
  const absl::Status change = Change(config, "ada", "password of ada");
  CHECK_THAT(change, StatusIs(kRefused));
  CHECK(absl::StrContains(change.message(), "refused the new password"));
  CHECK(CodeOf(config, "ada") == kYes);
}

TEST_CASE("samba password: explains a refusal of the directory", "[backend]") {
  const LdapConfig config = Samba().Config();
  struct Row {
    std::string name;
    std::string words;
  };
  for (const Row& row : {
           Row{"short", "rejected the new password: too short"},
           Row{"simple", "rejected the new password: too easy to guess"},
           Row{"young", "changed too recently"},
       }) {
    INFO(row.name);
    const absl::Status change =
        Change(config, row.name, "password of " + row.name);
    CHECK_THAT(change, StatusIs(kRefused));
    CHECK(absl::StrContains(change.message(), row.words));
    CHECK(CodeOf(config, row.name) == kYes);
  }
}

TEST_CASE("samba password: one that was there before is refused", "[backend]") {
  const LdapConfig config = Samba().Config();
  REQUIRE_THAT(Change(config, "history", "password of history"), IsOk());
  REQUIRE_THAT(Change(config, "history", kNew, "another horse, battery"),
               IsOk());
  const absl::Status again =
      Change(config, "history", "another horse, battery", kNew);
  CHECK_THAT(again, StatusIs(kRefused));
  CHECK(absl::StrContains(again.message(),
                          "you have used the new password before"));
}

TEST_CASE("samba password: reports an expired password", "[backend]") {
  struct Row {
    std::string name;
    std::string words;
  };
  for (const Row& row : {Row{"expired", "your password has expired"},
                         Row{"reset", "your password must be changed"}}) {
    INFO(row.name);
    LdapConfig config = Samba().Config();
    auto check = Check(config, row.name);
    REQUIRE_THAT(check, IsOk());
    CHECK(check->must_change);
    CHECK(check->message == row.words + ": choose a new one");
    for (const auto change : {PasswordChange::kOff, PasswordChange::kRfc3062}) {
      config.password_change = change;
      check = Check(config, row.name);
      REQUIRE_THAT(check, IsOk());
      CHECK(check->must_change);
      CHECK(absl::StrContains(check->message, "cannot be changed here"));
      CHECK_THAT(Change(config, row.name, "password of " + row.name),
                 StatusIs(kRefused));
    }
  }
}

TEST_CASE("samba password: an expired password can be changed", "[backend]") {
  const LdapConfig config = Samba().Config();
  for (const std::string name : {"expired2", "reset2"}) {
    INFO(name);
    CHECK_THAT(Change(config, name, "password of " + name), IsOk());
    const auto check = Check(config, name, kNew);
    REQUIRE_THAT(check, IsOk());
    CHECK_FALSE(check->must_change);
    CHECK(CodeOf(config, name) == kNo);
  }
}

TEST_CASE("samba password: a changed one opens, the old one no longer",
          "[backend]") {
  LdapConfig config = Samba().Config();
  CHECK(Change(config, "CHANGER", "password of changer").ok());
  CHECK_THAT(Check(config, "changer", kNew), IsOk());
  CHECK(CodeOf(config, "changer") == kNo);
  const std::string umlauts = "Prüfung mit 9 € und \"😀\"";
  CHECK_THAT(Change(config, "unicode", "password of unicode", umlauts), IsOk());
  CHECK_THAT(Check(config, "unicode", umlauts), IsOk());
  config.url = Samba().LdapUrl();
  config.start_tls = true;
  CHECK_THAT(Change(config, "starttls", "password of starttls"), IsOk());
}

}  // namespace
}  // namespace carme::backend
