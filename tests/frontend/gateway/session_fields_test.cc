#include "frontend/gateway/session_fields.h"

#include <catch2/catch.hpp>

#include "carme/v1/auth.pb.h"

namespace carme::frontend {
namespace {

TEST_CASE("session fields: are removed from the response to a log-in",
          "[frontend]") {
  v1::VerifyFactorResponse response;
  response.set_session_token("secret");
  response.mutable_session()->set_username("ada");
  response.mutable_session()->mutable_expires_at()->set_seconds(3600);
  const SessionFields taken = TakeSession(&response);
  CHECK(taken.token == "secret");
  REQUIRE(taken.expires_at);
  CHECK(*taken.expires_at == absl::FromUnixSeconds(3600));
  CHECK(response.session_token().empty());
  CHECK(response.session().username() == "ada");
  CHECK(response.session().expires_at().seconds() == 3600);
}

TEST_CASE("session fields: are empty without a session", "[frontend]") {
  v1::LoginResponse response;
  response.set_challenge("c");
  response.mutable_enrolment()->set_secret("s");
  const v1::LoginResponse before = response;
  const SessionFields taken = TakeSession(&response);
  CHECK(taken.token.empty());
  CHECK_FALSE(taken.expires_at);
  CHECK(response.SerializeAsString() == before.SerializeAsString());
}

}  // namespace
}  // namespace carme::frontend
