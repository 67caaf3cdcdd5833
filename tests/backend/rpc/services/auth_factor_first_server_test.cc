// Log-ins to an account after guesses by an attacker, as the gateway sees them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "absl/time/clock.h"
#include "tests/backend/rpc/auth_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

TEST_CASE("auth: after many guesses every name is asked for a factor first",
          "[backend]") {
  AuthSite site;
  v1::LoginResponse login;
  REQUIRE_THAT(site.Login("ada", "password of ada", &login), IsOk());
  const std::string secret = login.enrolment().secret();
  REQUIRE_THAT(site.Verify(login.challenge(), site.CodeOf(secret)), IsOk());
  site.clock.Advance(absl::Seconds(60));
  int stranger = 0;
  v1::LoginResponse asked[3];
  const char* const names[] = {"ada", "bob", "nobody"};
  for (int name = 0; name < 3; ++name) {
    for (int i = 0; i < 3; ++i) {
      CHECK(site.Login(names[name], "guess", nullptr,
                       "198.51.100." + std::to_string(++stranger))
                .error_code() == Code::UNAUTHENTICATED);
    }
    REQUIRE_THAT(
        site.Login(names[name], "password of ada", &asked[name], "192.0.2.77"),
        IsOk());
    CHECK(asked[name].factor_first().passkey_request().challenge().size() ==
          kPasskeyChallengeBytes);
    asked[name]
        .mutable_factor_first()
        ->mutable_passkey_request()
        ->clear_challenge();
    CHECK(asked[name].SerializeAsString() == asked[0].SerializeAsString());
  }
  CHECK(asked[0].challenge().empty());
  CHECK(asked[0].factors().empty());
  CHECK(asked[0].factor_first().factors_size() == 3);
  CHECK(asked[0].factor_first().wait_s() == 30 * 60);
  CHECK(asked[0].factor_first().passkey_request().rp_id() == "portal.test");

  const auto both = [&](const std::string& name, const std::string& code) {
    grpc::ClientContext context;
    context.AddMetadata("carme-client-address", "192.0.2.77");
    v1::LoginRequest request;
    request.set_username(name);
    request.set_password("password of ada");
    request.set_totp(code);
    return site.stub->Login(&context, request, &login);
  };
  CapturedLog log;
  const grpc::Status wrong = both("ada", "000000");
  CHECK(wrong.error_code() == Code::UNAUTHENTICATED);
  CHECK(both("nobody", "000000").error_message() == wrong.error_message());
  const std::string code = site.CodeOf(secret);
  REQUIRE_THAT(both("ada", code), IsOk());
  CHECK(login.factor_proved());
  CHECK(login.factors().empty());
  CHECK_FALSE(login.has_enrolment());
  v1::VerifyFactorResponse verified;
  REQUIRE_THAT(site.Verify(login.challenge(), "", &verified, "192.0.2.77"),
               IsOk());
  CHECK(verified.session().username() == "ada");
  REQUIRE(log.Lines().size() == 4);
  CHECK(log.Lines()[0].find("user=ada subject=\"\" decision=refuse") !=
        std::string::npos);
  CHECK(log.Lines()[2].find(
            "decision=allow result=\"ok: second factor first\"") !=
        std::string::npos);
  CHECK(log.Text().find(code) == std::string::npos);
}

TEST_CASE("auth: with a factor first a refusal takes the same time",
          "[backend]") {
  constexpr absl::Duration kGrain = absl::Milliseconds(400);
  AuthSite site(kGrain);
  v1::LoginResponse login;
  REQUIRE_THAT(site.Login("ada", "password of ada", &login), IsOk());
  const std::string secret = login.enrolment().secret();
  REQUIRE_THAT(site.Verify(login.challenge(), site.CodeOf(secret)), IsOk());
  int address = 0;
  // The shortest, which no other load has made longer.
  const auto shortest = [&](const std::string& name, bool right_code) {
    absl::Duration found = absl::InfiniteDuration();
    for (int i = 0; i < 3; ++i) {
      site.clock.Advance(LoginThrottleConfig().window);
      grpc::ClientContext context;
      context.AddMetadata("carme-client-address",
                          "198.51.100." + std::to_string(++address));
      v1::LoginRequest request;
      request.set_username(name);
      request.set_password("wrong");
      request.set_totp(right_code ? site.CodeOf(secret) : "000000");
      const absl::Time start = absl::Now();
      REQUIRE(site.stub->Login(&context, request, &login).error_code() ==
              Code::UNAUTHENTICATED);
      found = std::min(found, absl::Now() - start);
    }
    return found;
  };
  const absl::Duration wrong_code = shortest("ada", false);
  const absl::Duration wrong_password = shortest("ada", true);
  const absl::Duration unknown = shortest("nobody", false);
  INFO("code " << wrong_code << ", password " << wrong_password << ", name "
               << unknown);
  CHECK(wrong_code >= kGrain);
  CHECK(absl::AbsDuration(wrong_code - wrong_password) < kGrain / 4);
  CHECK(absl::AbsDuration(wrong_code - unknown) < kGrain / 4);
}

}  // namespace
}  // namespace carme::backend
