// An attacker has guessed passwords from many addresses, and the owner comes
// from a new one: the second factor first. Against a slapd that locks at five
// wrong passwords and never forgets any.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/notifications/inbox.h"
#include "tests/backend/identity/ldap/locking_slapd.h"
#include "tests/backend/identity/login/login_fixture.h"
#include "tests/support/software_authenticator.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr auto kNo = absl::StatusCode::kUnauthenticated;
constexpr auto kWait = absl::StatusCode::kResourceExhausted;
const Client kNewPlace = {"192.0.2.77", "a telephone"};

Client UnknownClient(int i) {
  return {absl::StrCat("198.51.100.", i), "a script"};
}

struct World {
  SlapdServer slapd{LockingSlapd()};
  LoginFixture site{slapd.Config()};
  int guessers = 0;

  // Uses up what strangers have of a name, each from an address of their own.
  void Guess(const std::string& name) {
    for (int i = 0; i < 5; ++i) {
      const Client guesser = {absl::StrCat("203.0.113.", ++guessers), ""};
      CHECK_FALSE(site.Password(name, "guess", guesser).ok());
    }
  }
  absl::StatusOr<PasswordAccepted> Both(const std::string& name,
                                        const std::string& password,
                                        const FactorFirstAnswer& early,
                                        const Client& client = kNewPlace) {
    site.note = {};
    return site.login_flow->CheckBoth(name, password, early, client,
                                      &site.note);
  }
  absl::StatusOr<PasswordAccepted> BothCode(const std::string& name,
                                            const std::string& password,
                                            const std::string& code,
                                            const Client& client = kNewPlace) {
    return Both(name, password, {.answer = {.totp = code}}, client);
  }
  size_t Failures(const std::string& name = "ada") {
    return Noted(slapd.Config(), name, "pwdFailureTime");
  }
  size_t Locked(const std::string& name = "ada") {
    return Noted(slapd.Config(), name, "pwdAccountLockedTime");
  }
};

TEST_CASE("factor first: every name gets the same response", "[backend]") {
  World world;
  LoginFixture& site = world.site;
  site.Enrol("ada");
  for (const char* name : {"ada", "bob", "nobody", "eve"}) world.Guess(name);
  const absl::Status asked =
      site.Password("ada", "password of ada", kNewPlace).status();
  CHECK_THAT(asked, StatusIs(kWait));
  CHECK(FactorFirstWait(asked) == LoginThrottleConfig().window);
  CHECK(site.note.reason == "throttled: second factor first");
  CHECK(site.note.username.empty());
  // Enrolled or not, in the group or not, there or not, right or wrong.
  for (const char* name : {"bob", "eve", "nobody"}) {
    CHECK(site.Password(name, absl::StrCat("password of ", name), kNewPlace)
              .status() == asked);
  }
  CHECK(site.Password("ada", "wrong", kNewPlace).status() == asked);
  CHECK(world.Failures() == 3);
}

TEST_CASE("factor first: one message for every wrong combination",
          "[backend]") {
  World world;
  LoginFixture& site = world.site;
  const std::string secret = site.Enrol("ada");
  for (const char* name : {"ada", "bob", "nobody", "eve"}) world.Guess(name);
  const absl::Status expected =
      site.Password("carol", "wrong", UnknownClient(1)).status();
  REQUIRE_THAT(expected, StatusIs(kNo));
  CHECK(world.BothCode("ada", "password of ada", "000000").status() ==
        expected);
  CHECK(site.note.username == "ada");
  CHECK(site.note.reason.find("second factor first: ") == 0);
  // Not enrolled, not in the group, not there, there twice, root, no name.
  for (const char* name : {"bob", "eve", "nobody", "twin", "root0", "(*)"}) {
    CHECK(world
              .BothCode(name, absl::StrCat("password of ", name),
                        site.CodeOf(secret), UnknownClient(2))
              .status() == expected);
  }
  CHECK(world.BothCode("ada", "wrong", site.CodeOf(secret)).status() ==
        expected);
  CHECK(site.note.username == "ada");
  CHECK(site.note.reason.find("right second factor first, then: ") == 0);
}

TEST_CASE("factor first: no password reaches the directory without one",
          "[backend]") {
  World world;
  world.site.Enrol("ada");
  world.Guess("ada");
  REQUIRE(world.Failures() == 3);
  for (int i = 0; i < 200; ++i) {
    CHECK_FALSE(
        world.BothCode("ada", "guess", "000000", UnknownClient(i % 100)).ok());
    CHECK_FALSE(world
                    .Both("ada", "guess",
                          {.answer = {.recovery_code = "ABCD-EFGH-JKLM-NPQR"}},
                          UnknownClient(i % 100))
                    .ok());
    world.site.clock.Advance(absl::Seconds(1));
  }
  CHECK(world.Failures() == 3);
  CHECK(world.Locked() == 0);
}

TEST_CASE("factor first: the owner is in at once at a new address",
          "[backend]") {
  World world;
  LoginFixture& site = world.site;
  const std::string secret = site.Enrol("ada");
  world.Guess("ada");
  REQUIRE(FactorFirstWait(
      site.Password("ada", "password of ada", kNewPlace).status()));
  const auto both =
      world.BothCode("ada", "password of ada", site.CodeOf(secret));
  REQUIRE_THAT(both, IsOk());
  CHECK(both->proved);
  CHECK(both->new_secret.empty());
  CHECK(both->passkey_challenge.empty());
  const auto made = site.Answer(both->challenge, {}, kNewPlace);
  REQUIRE_THAT(made, IsOk());
  CHECK(made->session.session.username == "ada");
  CHECK(made->recovery_codes.empty());
  CHECK(world.Failures() == 0);
  // And the address is one of theirs from now on.
  world.Guess("ada");
  CHECK_THAT(site.Password("ada", "password of ada", kNewPlace), IsOk());
}

TEST_CASE("factor first: the owner can log in while others guess codes",
          "[backend]") {
  World world;
  LoginFixture& site = world.site;
  const std::string secret = site.Enrol("ada");
  world.Guess("ada");
  for (int i = 0; i < 1000; ++i) {
    CHECK_FALSE(
        world.BothCode("ada", "x", "000000", UnknownClient(i % 100)).ok());
  }
  CHECK_THAT(world.BothCode("ada", "x", "000000", UnknownClient(1)),
             StatusIs(kWait));
  const auto both =
      world.BothCode("ada", "password of ada", site.CodeOf(secret));
  REQUIRE_THAT(both, IsOk());
  CHECK_THAT(site.Answer(both->challenge, {}, kNewPlace), IsOk());
}

TEST_CASE("factor first: a code is used up, right password or not",
          "[backend]") {
  World world;
  LoginFixture& site = world.site;
  const std::string secret = site.Enrol("ada");
  world.Guess("ada");
  const std::string code = site.CodeOf(secret);
  CHECK_THAT(world.BothCode("ada", "mistyped", code), StatusIs(kNo));
  CHECK_THAT(world.BothCode("ada", "password of ada", code), StatusIs(kNo));
  const auto usual = site.Password("ada", "password of ada");
  REQUIRE_THAT(usual, IsOk());
  CHECK_THAT(site.Code(usual->challenge, code), StatusIs(kNo));
  site.clock.Advance(absl::Seconds(30));
  CHECK_THAT(world.BothCode("ada", "password of ada", site.CodeOf(secret)),
             IsOk());
}

TEST_CASE(
    "factor first: a recovery code is spent with the right password alone",
    "[backend]") {
  World world;
  LoginFixture& site = world.site;
  site.Enrol("ada");
  const auto codes = site.codes.Renew(Uid(20001)).value();
  world.Guess("ada");
  const FactorFirstAnswer early{.answer = {.recovery_code = codes[0]}};
  CHECK_THAT(world.Both("ada", "mistyped", early), StatusIs(kNo));
  CHECK_THAT(world.Both("bob", "password of bob", early), StatusIs(kNo));
  CHECK(site.codes.CountUnused(Uid(20001)).value() == RecoveryCodes::kCount);
  const auto both = world.Both("ada", "password of ada", early);
  REQUIRE_THAT(both, IsOk());
  CHECK(site.codes.CountUnused(Uid(20001)).value() ==
        RecoveryCodes::kCount - 1);
  CHECK_THAT(world.Both("ada", "password of ada", early), StatusIs(kNo));
  const auto notices = Inbox(site.database.get(), &site.clock)
                           .List(Uid(20001), 0, 10)
                           .value()
                           .events;
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].text.text.find("192.0.2.77; 9 are left") !=
        std::string::npos);
  CHECK_THAT(site.Answer(both->challenge, {}, kNewPlace), IsOk());
}

TEST_CASE("factor first: accepts a passkey, each response once", "[backend]") {
  World world;
  LoginFixture& site = world.site;
  SoftwareAuthenticator authenticator(-7, site.factor.site());
  authenticator.counts = false;  // so that nothing but the challenge is new
  const auto first = site.Password("bob", "password of bob");
  REQUIRE_THAT(
      site.Answer(first->challenge, {.new_passkey = authenticator.Create(
                                         first->passkey_challenge)}),
      IsOk());
  world.Guess("bob");
  const auto answer_to = [&](const std::string& challenge) {
    return FactorFirstAnswer{
        .answer = {.passkey = authenticator.Answer(challenge)},
        .passkey_challenge = challenge};
  };
  const std::string own(kPasskeyChallengeBytes, 'x');
  CHECK_THAT(world.Both("bob", "password of bob", answer_to(own)),
             StatusIs(kNo));
  FactorFirstAnswer crossed =
      answer_to(site.login_flow->NewFactorFirstChallenge());
  crossed.passkey_challenge = site.login_flow->NewFactorFirstChallenge();
  CHECK_THAT(world.Both("bob", "password of bob", crossed), StatusIs(kNo));
  const FactorFirstAnswer late =
      answer_to(site.login_flow->NewFactorFirstChallenge());
  site.clock.Advance(FactorFirstChallenges::kLifetime);
  CHECK_THAT(world.Both("bob", "password of bob", late), StatusIs(kNo));

  const FactorFirstAnswer early =
      answer_to(site.login_flow->NewFactorFirstChallenge());
  CHECK_THAT(world.Both("ada", "password of ada", early), StatusIs(kNo));
  const auto both = world.Both("bob", "password of bob", early);
  REQUIRE_THAT(both, IsOk());
  CHECK_THAT(world.Both("bob", "password of bob", early), StatusIs(kNo));
  CHECK_THAT(site.Answer(both->challenge, {}, kNewPlace), IsOk());
}

TEST_CASE("factor first: an attacker with a factor gets few passwords",
          "[backend]") {
  World world;
  LoginFixture& site = world.site;
  const std::string secret = site.Enrol("ada");
  int evaluated = 0;
  for (int i = 0; i < 20; ++i) {
    site.clock.Advance(absl::Seconds(30));
    const auto refused =
        world.BothCode("ada", "guess", site.CodeOf(secret), UnknownClient(i))
            .status();
    evaluated += refused.code() == kNo;
    if (refused.code() == kWait) CHECK_FALSE(FactorFirstWait(refused));
  }
  CHECK(evaluated == LoginThrottleConfig().known_address_attempts);
  CHECK(world.Failures() == 4);
  CHECK(world.Locked() == 0);
}

TEST_CASE("factor first: an account that has none waits", "[backend]") {
  World world;
  LoginFixture& site = world.site;
  world.Guess("bob");
  CHECK_THAT(world.BothCode("bob", "password of bob", "000000"), StatusIs(kNo));
  site.clock.Advance(LoginThrottleConfig().window);
  CHECK_THAT(site.Password("bob", "password of bob", kNewPlace), IsOk());
}

TEST_CASE("factor first: requests for a challenge are limited", "[backend]") {
  World world;
  LoginFixture& site = world.site;
  site.Enrol("ada");
  world.Guess("ada");
  int asked = 0;
  for (int i = 0; i < 1000; ++i) {
    asked += FactorFirstWait(site.Password("ada", "x", kNewPlace).status())
                 .has_value();
  }
  CHECK(asked == LoginThrottle::kFreeFailures);
}

TEST_CASE("factor first: a factor that was not requested is accepted",
          "[backend]") {
  World world;
  LoginFixture& site = world.site;
  const std::string secret = site.Enrol("ada");
  const auto both =
      world.BothCode("ada", "password of ada", site.CodeOf(secret), kHome);
  REQUIRE_THAT(both, IsOk());
  CHECK_THAT(site.Answer(both->challenge, {}), IsOk());
}

TEST_CASE("factor first: a directory that is down costs no attempt",
          "[backend]") {
  World world;
  LoginFixture& site = world.site;
  const std::string secret = site.Enrol("ada");
  world.Guess("ada");
  world.slapd.Stop();
  for (int i = 0; i < 2 * LoginThrottle::kFreeFailures; ++i) {
    CHECK(absl::IsUnavailable(
        world.BothCode("ada", "password of ada", "000000").status()));
  }
  world.slapd.Start();
  CHECK_THAT(world.BothCode("ada", "password of ada", site.CodeOf(secret)),
             IsOk());
}

}  // namespace
}  // namespace carme::backend
