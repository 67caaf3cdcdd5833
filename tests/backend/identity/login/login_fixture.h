// The two steps of a login at a site of a test's own, with a real slapd and a
// real SQLite.
#ifndef CARME_TESTS_BACKEND_IDENTITY_LOGIN_LOGIN_FIXTURE_H_
#define CARME_TESTS_BACKEND_IDENTITY_LOGIN_LOGIN_FIXTURE_H_

#include <liboath/oath.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/identity/ldap/ldap_directory.h"
#include "backend/identity/login/login_flow.h"
#include "tests/support/fake_clock.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {

inline const Client kHome = {"192.0.2.1", "a browser"};

struct LoginFixture {
  FakeClock clock;
  SessionsConfig config;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  std::unique_ptr<LdapDirectory> directory;
  FactorStore factors{database.get(), &clock};
  RecoveryCodes codes{database.get(), &clock};
  SecondFactor factor{&factors, &codes,
                      PasskeySiteOf("https://portal.test", "Carme")};
  FactorsConfig policy;
  LoginThrottle throttle;
  UserStore users{database.get(), &clock};
  std::unique_ptr<SessionStore> sessions =
      SessionStore::Load(database.get(), &clock, &config).value();
  std::unique_ptr<LoginFlow> login_flow;
  LoginAuditDetail note;

  explicit LoginFixture(const LdapConfig& ldap,
                        const LoginThrottleConfig& guesses = {})
      : directory(LdapDirectory::Create(ldap).value()),
        throttle(&clock, guesses) {
    login_flow = std::make_unique<LoginFlow>(
        LoginFlow::Parts{.directory = directory.get(),
                         .factor = &factor,
                         .policy = &policy,
                         .users = &users,
                         .sessions = sessions.get(),
                         .throttle = &throttle,
                         .clock = &clock,
                         .issuer = "Carme"});
  }
  absl::StatusOr<PasswordAccepted> Password(const std::string& name,
                                            const std::string& password,
                                            const Client& client = kHome) {
    note = {};
    return login_flow->CheckPassword(name, password, client, &note);
  }
  absl::StatusOr<LoggedIn> Answer(const std::string& challenge,
                                  const FactorAnswer& answer,
                                  const Client& client = kHome) {
    note = {};
    return login_flow->CheckFactor(challenge, {.answer = answer}, client,
                                   &note);
  }
  absl::StatusOr<LoggedIn> Code(const std::string& challenge,
                                const std::string& code,
                                const Client& client = kHome) {
    return Answer(challenge, {.totp = code}, client);
  }
  std::string CodeOf(const std::string& secret) {
    char code[7] = {};
    oath_totp_generate(secret.data(), secret.size(),
                       absl::ToUnixSeconds(clock.Now()), 30, 0, 6, code);
    return code;
  }
  // The first login of `name`, at kHome; their secret.
  std::string Enrol(const std::string& name = "ada") {
    const auto accepted = Password(name, "password of " + name);
    REQUIRE_THAT(accepted, IsOk());
    REQUIRE_THAT(Code(accepted->challenge, CodeOf(accepted->new_secret)),
                 IsOk());
    clock.Advance(absl::Seconds(60));
    return accepted->new_secret;
  }
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_IDENTITY_LOGIN_LOGIN_FIXTURE_H_
