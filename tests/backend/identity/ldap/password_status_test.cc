#include "backend/identity/ldap/password_status.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

constexpr PasswordChange kHere = PasswordChange::kRfc3062;

// As domain controllers write it.
std::string Diagnostic(const std::string& code) {
  return absl::StrCat(
      "80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext "
      "error, data ",
      code, ", v2580");
}

TEST_CASE("password status: ignores other diagnostics", "[backend]") {
  for (const std::string& text :
       {std::string(), std::string("data 532"), std::string("error 532"),
        Diagnostic("52e"), Diagnostic("525"), Diagnostic("5321"),
        Diagnostic("")}) {
    INFO(text);
    CHECK(ActiveDirectoryError(text) == PolicyError::kNone);
  }
}

TEST_CASE("password status: Active Directory's codes have names", "[backend]") {
  const auto error = [](const std::string& code) {
    return ActiveDirectoryError(Diagnostic(code));
  };
  CHECK(error("532") == PolicyError::kPasswordExpired);
  CHECK(error("773") == PolicyError::kChangeAfterReset);
  CHECK(error("775") == PolicyError::kAccountLocked);
  CHECK(error("533") == PolicyError::kAccountDisabled);
  CHECK(error("701") == PolicyError::kAccountExpired);
  CHECK(error("530") == PolicyError::kAccountRestricted);
  CHECK(error("531") == PolicyError::kAccountRestricted);
}

TEST_CASE("password status: why Active Directory refuses a new password",
          "[backend]") {
  const auto refusal = ActiveDirectoryChangeError;
  CHECK(refusal("") == PolicyError::kNone);
  CHECK(refusal("0000052E: the password is too short") == PolicyError::kNone);
  CHECK(refusal("says 0000052D: too short") == PolicyError::kNone);
  CHECK(refusal("00000056: AtrErr: DSID-03190F80, #1:") ==
        PolicyError::kWrongOldPassword);
  CHECK(refusal("00000005: SecErr: DSID-031A11E8, problem 4003") ==
        PolicyError::kPasswordModNotAllowed);
  CHECK(refusal("0000052D: SvcErr: DSID-031A124C, problem 5003 "
                "(WILL_NOT_PERFORM), data 0") == PolicyError::kAgainstRules);
}

TEST_CASE(
    "password status: an expired password can be changed where the directory "
    "allows it",
    "[backend]") {
  for (const auto& [error, message] :
       {std::pair(PolicyError::kPasswordExpired,
                  "your password has expired: choose a new one"),
        std::pair(PolicyError::kChangeAfterReset,
                  "your password must be changed: choose a new one")}) {
    const PasswordStatus news = {
        .error = error, .logins_left = {}, .expires_in = {}, .expired = true};
    CHECK(MustChange(news, PasswordChange::kActiveDirectory));
    CHECK(PasswordMessage(news, PasswordChange::kActiveDirectory) == message);
  }
}

TEST_CASE("password status: when a password must be changed", "[backend]") {
  struct Row {
    PasswordStatus news;
    bool here;       // must change where Carme changes passwords
    bool elsewhere;  // where it does not
    std::string message_here;
    std::string message_elsewhere;
  };
  const PasswordStatus none;
  const PasswordStatus expired = {.error = PolicyError::kPasswordExpired,
                                  .logins_left = {},
                                  .expires_in = {},
                                  .expired = true};
  const PasswordStatus reset = {.error = PolicyError::kChangeAfterReset,
                                .logins_left = {},
                                .expires_in = {}};
  const PasswordStatus grace = {.logins_left = 2, .expires_in = {}};
  const PasswordStatus last = {.logins_left = 0, .expires_in = {}};
  const PasswordStatus soon = {.logins_left = {},
                               .expires_in = absl::Hours(71)};
  const std::string ask = ": ask your administrator for a new one";
  const std::string not_here = ", and cannot be changed here" + ask;
  for (const Row& row : {
           Row{none, false, false, "", ""},
           Row{expired, true, true, "your password has expired" + not_here,
               "your password has expired" + not_here},
           Row{reset, true, true,
               "your password must be changed: choose a new one",
               "your password must be changed" + not_here},
           Row{grace, true, false,
               "your password has expired: 2 logins are left",
               "your password has expired: 2 logins are left"},
           Row{last, false, false,
               "your password has expired: this was the last login with it",
               "your password has expired: this was the last login with it"},
           Row{soon, false, false, "your password expires in 2 days",
               "your password expires in 2 days"},
       }) {
    INFO(row.message_here);
    CHECK(MustChange(row.news, kHere) == row.here);
    CHECK(MustChange(row.news, PasswordChange::kOff) == row.elsewhere);
    CHECK(PasswordMessage(row.news, kHere) == row.message_here);
    CHECK(PasswordMessage(row.news, PasswordChange::kOff) ==
          row.message_elsewhere);
  }
}

TEST_CASE("password status: numbers of one are in the singular", "[backend]") {
  PasswordStatus news;
  news.expires_in = absl::Seconds(61);
  CHECK(PasswordMessage(news, kHere) == "your password expires in 1 minute");
  news.expires_in = absl::Hours(47);
  CHECK(PasswordMessage(news, kHere) == "your password expires in 47 hours");
  news.logins_left = 1;
  CHECK(PasswordMessage(news, kHere) ==
        "your password has expired: 1 login is left");
}

}  // namespace
}  // namespace carme::backend
