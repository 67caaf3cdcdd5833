#include "backend/identity/login/factor_first_challenges.h"

#include <catch2/catch.hpp>
#include <string>

#include "backend/identity/factors/passkey.h"
#include "tests/support/fake_clock.h"

namespace carme::backend {
namespace {

const Uid kAda(20001);
const Uid kBob(20002);

TEST_CASE("factor first challenges: refuses foreign challenges", "[backend]") {
  FakeClock clock;
  const FactorFirstChallenges challenges(&clock);
  const std::string made = challenges.Make();
  CHECK(made.size() == kPasskeyChallengeBytes);
  CHECK_FALSE(challenges.IsLive(""));
  CHECK_FALSE(challenges.IsLive(made.substr(1)));
  CHECK_FALSE(challenges.IsLive(made + "x"));
  CHECK_FALSE(challenges.IsLive(FactorFirstChallenges(&clock).Make()));
  for (size_t i = 0; i < made.size(); ++i) {
    std::string bent = made;
    bent[i] = static_cast<char>(bent[i] ^ 1);
    CHECK_FALSE(challenges.IsLive(bent));
  }
  CHECK(challenges.IsLive(made));
}

TEST_CASE("factor first challenges: expires after five minutes", "[backend]") {
  FakeClock clock;
  const FactorFirstChallenges challenges(&clock);
  const std::string made = challenges.Make();
  clock.Advance(FactorFirstChallenges::kLifetime - absl::Microseconds(1));
  CHECK(challenges.IsLive(made));
  clock.Advance(absl::Microseconds(1));
  CHECK_FALSE(challenges.IsLive(made));
}

TEST_CASE("factor first challenges: accepts each only once and no older one",
          "[backend]") {
  FakeClock clock;
  FactorFirstChallenges challenges(&clock);
  const std::string first = challenges.Make();
  clock.Advance(absl::Microseconds(1));
  const std::string second = challenges.Make();
  clock.Advance(absl::Microseconds(1));
  const std::string third = challenges.Make();
  CHECK(challenges.Spend(kAda, second));
  CHECK_FALSE(challenges.Spend(kAda, second));
  CHECK_FALSE(challenges.Spend(kAda, first));
  CHECK(challenges.Spend(kBob, first));
  CHECK(challenges.Spend(kAda, third));
  // What is forgotten is dead.
  clock.Advance(FactorFirstChallenges::kLifetime - absl::Microseconds(1));
  CHECK(challenges.IsLive(third));
  CHECK_FALSE(challenges.Spend(kAda, third));
}

TEST_CASE("factor first challenges: each is another one", "[backend]") {
  FakeClock clock;
  const FactorFirstChallenges challenges(&clock);
  CHECK(challenges.Make() != challenges.Make());
}

}  // namespace
}  // namespace carme::backend
