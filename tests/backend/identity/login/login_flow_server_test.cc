// The two steps of a login against a real slapd and a real SQLite.
#include <catch2/catch.hpp>
#include <string>

#include "backend/notifications/inbox.h"
#include "common/encoding.h"
#include "tests/backend/identity/login/login_fixture.h"
#include "tests/support/software_authenticator.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr auto kNo = absl::StatusCode::kUnauthenticated;
constexpr auto kWait = absl::StatusCode::kResourceExhausted;

SlapdServer& Slapd() {
  static SlapdServer server;
  return server;
}

TEST_CASE("login: one message for every failure", "[backend]") {
  LoginFixture site(Slapd().Config());
  const std::string secret = site.Enrol();
  const absl::Status expected = site.Password("ada", "wrong").status();
  CHECK_THAT(expected, StatusIs(kNo));
  CHECK(site.Password("nobody", "password of ada").status() == expected);
  CHECK(site.Password("eve", "password of eve").status() == expected);
  CHECK(site.Password("", "x").status() == expected);
  CHECK(site.Password("ada", "").status() == expected);
  CHECK(site.Password("ada", std::string(1025, 'x')).status() == expected);
  CHECK(site.Code("no challenge", "123456").status() == expected);
  CHECK(site.Code(std::string(1000, 'x'), "123456").status() == expected);
  const auto accepted = site.Password("ada", "password of ada");
  REQUIRE_THAT(accepted, IsOk());
  CHECK(site.Code(accepted->challenge, "000000").status() == expected);
  CHECK(site.Code(accepted->challenge, "").status() == expected);
}

TEST_CASE("login: the log contains no name unknown to the directory",
          "[backend]") {
  LoginFixture site(Slapd().Config());
  CHECK_FALSE(site.Password("hunter2", "ada").ok());  // the wrong way round
  CHECK(site.note.username.empty());
  CHECK(site.note.reason.find("hunter2") == std::string::npos);
}

TEST_CASE("login: recognizes a directory that is down, and recovers",
          "[backend]") {
  SlapdServer slapd;
  LoginFixture site(slapd.Config());
  slapd.Stop();
  for (int i = 0; i < LoginThrottle::kFreeFailures + 5; ++i) {
    const auto refused = site.Password("ada", "password of ada");
    CHECK_THAT(refused, StatusIs(absl::StatusCode::kUnavailable));
    CHECK(refused.status().message() ==
          "the directory cannot be reached; try again");
  }
  slapd.Start();
  CHECK_THAT(site.Password("ada", "password of ada"), IsOk());
}

TEST_CASE("login: wrong codes after the right password count too",
          "[backend]") {
  LoginFixture site(Slapd().Config());
  site.Enrol();
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    const auto accepted = site.Password("ada", "password of ada");
    REQUIRE_THAT(accepted, IsOk());
    CHECK_THAT(site.Code(accepted->challenge, "000000"), StatusIs(kNo));
  }
  const auto accepted = site.Password("ada", "password of ada");
  REQUIRE_THAT(accepted, IsOk());
  CHECK_THAT(site.Code(accepted->challenge, "000000"), StatusIs(kWait));
}

TEST_CASE("login: a challenge is invalid after five wrong codes", "[backend]") {
  LoginFixture site(Slapd().Config());
  const std::string secret = site.Enrol();
  const auto accepted = site.Password("ada", "password of ada");
  for (int i = 0; i < LoginChallenges::kMaxWrong; ++i) {
    CHECK_THAT(site.Code(accepted->challenge, "000000"), StatusIs(kNo));
  }
  CHECK_THAT(site.Code(accepted->challenge, site.CodeOf(secret)),
             StatusIs(kNo));
}

TEST_CASE("login: a challenge and a code work once", "[backend]") {
  LoginFixture site(Slapd().Config());
  const std::string secret = site.Enrol();
  const auto first = site.Password("ada", "password of ada");
  const auto second = site.Password("ada", "password of ada");
  const std::string code = site.CodeOf(secret);
  CHECK_THAT(site.Code(first->challenge, code), IsOk());
  CHECK_THAT(site.Code(first->challenge, code), StatusIs(kNo));
  CHECK_THAT(site.Code(second->challenge, code), StatusIs(kNo));
  site.clock.Advance(absl::Seconds(30));
  CHECK_THAT(site.Code(second->challenge, site.CodeOf(secret)), IsOk());
}

TEST_CASE("login: of two enrolments at once the first one counts",
          "[backend]") {
  LoginFixture site(Slapd().Config());
  const auto first = site.Password("ada", "password of ada");
  const auto second = site.Password("ada", "password of ada");
  CHECK(first->new_secret != second->new_secret);
  CHECK_THAT(site.Code(first->challenge, site.CodeOf(first->new_secret)),
             IsOk());
  CHECK_THAT(
      site.Code(second->challenge, site.CodeOf(second->new_secret)).status(),
      StatusIs(kNo));
}

TEST_CASE("login: requires exactly one factor", "[backend]") {
  LoginFixture site(Slapd().Config());
  const std::string secret = site.Enrol();
  const auto accepted = site.Password("ada", "password of ada");
  CHECK_THAT(site.Answer(accepted->challenge, {}), StatusIs(kNo));
  CHECK_THAT(site.Answer(accepted->challenge,
                         {.totp = site.CodeOf(secret), .recovery_code = "ABCD"})
                 .status(),
             StatusIs(kNo));
  CHECK_THAT(site.Code(accepted->challenge, site.CodeOf(secret)), IsOk());
}

TEST_CASE("login: a recovery code does not enrol a factor", "[backend]") {
  LoginFixture site(Slapd().Config());
  const auto accepted = site.Password("bob", "password of bob");
  CHECK_THAT(
      site.Answer(accepted->challenge, {.recovery_code = "ABCD-EFGH-JKLM-NPQR"})
          .status(),
      StatusIs(kNo));
}

TEST_CASE("login: a recovery code works once, and its owner is notified",
          "[backend]") {
  LoginFixture site(Slapd().Config());
  const auto first = site.Password("ada", "password of ada");
  const auto made = site.Code(first->challenge, site.CodeOf(first->new_secret));
  REQUIRE_THAT(made, IsOk());
  CHECK_FALSE(first->offer.recovery);
  const std::string code = made->recovery_codes[3];
  for (const bool right : {true, false}) {
    const auto accepted = site.Password("ada", "password of ada");
    CHECK(accepted->offer.recovery);
    const auto again =
        site.Answer(accepted->challenge, {.recovery_code = code});
    CHECK(again.ok() == right);
    if (right) CHECK(again->recovery_codes.empty());
  }
  const auto notices = Inbox(site.database.get(), &site.clock)
                           .List(Uid(20001), 0, 10)
                           .value()
                           .events;
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].text.text.find("192.0.2.1; 9 are left") !=
        std::string::npos);
}

TEST_CASE("login: a passkey is enrolled, then accepted, each response once",
          "[backend]") {
  LoginFixture site(Slapd().Config());
  SoftwareAuthenticator authenticator(-7, site.factor.site());
  const auto first = site.Password("bob", "password of bob");
  CHECK(first->user_handle.size() == UserStore::kHandleBytes);
  const auto made = site.Answer(
      first->challenge,
      {.new_passkey = authenticator.Create(first->passkey_challenge)});
  REQUIRE_THAT(made, IsOk());
  CHECK(made->recovery_codes.size() == RecoveryCodes::kCount);
  const auto second = site.Password("bob", "password of bob");
  const auto third = site.Password("bob", "password of bob");
  CHECK(second->offer.credential_ids ==
        std::vector<std::string>{authenticator.credential_id});
  CHECK(second->new_secret.empty());
  const PasskeyAssertion answer =
      authenticator.Answer(second->passkey_challenge);
  CHECK_FALSE(site.Answer(third->challenge, {.passkey = answer}).ok());
  CHECK_THAT(site.Answer(second->challenge, {.passkey = answer}), IsOk());
  CHECK_FALSE(site.Answer(second->challenge, {.passkey = answer}).ok());
}

TEST_CASE("login: a passkey whose counter decreases is refused and reported",
          "[backend]") {
  LoginFixture site(Slapd().Config());
  SoftwareAuthenticator authenticator(-7, site.factor.site());
  authenticator.counter = 5;
  const auto first = site.Password("bob", "password of bob");
  REQUIRE_THAT(
      site.Answer(first->challenge, {.new_passkey = authenticator.Create(
                                         first->passkey_challenge)}),
      IsOk());
  authenticator.counter = 3;
  const auto copied = site.Password("bob", "password of bob");
  CHECK_THAT(
      site.Answer(copied->challenge,
                  {.passkey = authenticator.Answer(copied->passkey_challenge)})
          .status(),
      StatusIs(kNo));
  CHECK(site.note.reason.find("counter went from 5 to 4") != std::string::npos);
}

TEST_CASE("login: offers only the factors that the site allows", "[backend]") {
  LoginFixture site(Slapd().Config());
  site.policy.allowed = {v1::FACTOR_PASSKEY};
  const auto accepted = site.Password("bob", "password of bob");
  CHECK(accepted->new_secret.empty());
  CHECK_THAT(site.Code(accepted->challenge, "000000"), StatusIs(kNo));
  site.policy.allowed = {};
  CHECK_THAT(site.Password("bob", "password of bob"), StatusIs(kNo));
}

TEST_CASE("login: the first one enrols a factor, later ones require a code",
          "[backend]") {
  LoginFixture site(Slapd().Config());
  const auto first = site.Password("ADA", "password of ada");
  REQUIRE_THAT(first, IsOk());
  CHECK(site.note.username == "ada");
  CHECK(first->new_secret.size() == 20);
  CHECK(first->otpauth_uri.find("otpauth://totp/Carme:ada?secret=" +
                                Base32Encode(first->new_secret)) == 0);
  const auto made = site.Code(first->challenge, site.CodeOf(first->new_secret));
  REQUIRE_THAT(made, IsOk());
  CHECK(made->session.session.username == "ada");
  CHECK(made->session.session.uid == Uid(20001));
  CHECK(made->recovery_codes.size() == RecoveryCodes::kCount);
  CHECK_THAT(site.sessions->Authenticate(made->session.token, "192.0.2.1"),
             IsOk());
  const auto later = site.Password("ada", "password of ada");
  REQUIRE_THAT(later, IsOk());
  CHECK(later->new_secret.empty());
  CHECK(later->otpauth_uri.empty());
}

// A site whose administrator has just given pat a password.
SlapdOptions WithReset() {
  const std::string policy =
      "cn=reset,ou=services," + std::string(SlapdServer::kBase);
  return {.global_lines = "moduleload ppolicy",
          .database_lines =
              "rootdn \"cn=policy,dc=carme,dc=test\"\noverlay ppolicy",
          .entries = "dn: " + policy +
                     "\nobjectClass: device\nobjectClass: pwdPolicy\n"
                     "cn: reset\npwdAttribute: userPassword\n"
                     "pwdMustChange: TRUE\n\n" +
                     SlapdServer::Person("pat", 20060,
                                         "pwdPolicySubentry: " + policy +
                                             "\npwdReset: TRUE\n")};
}

TEST_CASE("login: a password that must change is changed before all else",
          "[backend]") {
  SlapdServer slapd(WithReset());
  LdapConfig config = slapd.Config();
  config.allowed_group = "*";
  LoginFixture site(config);
  const auto accepted = site.Password("pat", "password of pat");
  REQUIRE_THAT(accepted, IsOk());
  CHECK(accepted->must_change);
  CHECK(accepted->password_rules == site.directory->PasswordRules());
  const std::string code = site.CodeOf(accepted->new_secret);
  const auto answer = [&](const std::string& new_password) {
    site.note = {};
    return site.login_flow->CheckFactor(accepted->challenge,
                                        {.answer = {.totp = code},
                                         .old_password = "password of pat",
                                         .new_password = new_password},
                                        kHome, &site.note);
  };
  CHECK_FALSE(answer("").ok());
  CHECK_FALSE(answer("short").ok());
  const auto session = answer("correct Horse 7 battery");
  REQUIRE_THAT(session, IsOk());
  CHECK(session->recovery_codes.size() == 10);
  CHECK_FALSE(site.Password("pat", "password of pat").ok());
  const auto later = site.Password("pat", "correct Horse 7 battery");
  REQUIRE_THAT(later, IsOk());
  CHECK_FALSE(later->must_change);
  CHECK(later->password_rules.empty());
}

}  // namespace
}  // namespace carme::backend
