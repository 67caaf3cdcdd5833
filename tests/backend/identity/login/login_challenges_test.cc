#include "backend/identity/login/login_challenges.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/fake_clock.h"

namespace carme::backend {
namespace {

Challenge Of(const std::string& name, Uid uid = Uid(20001)) {
  Challenge challenge;
  challenge.person.uid = uid;
  challenge.person.username = name;
  challenge.new_secret = "secret of " + name;
  return challenge;
}

TEST_CASE("challenges: refuses an unknown challenge", "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  CHECK_FALSE(challenges.Take(""));
  CHECK_FALSE(challenges.Take(std::string(43, 'A')));
}

TEST_CASE("challenges: one use, and one checker at a time", "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  const std::string id = challenges.Open(Of("ada"));
  REQUIRE(challenges.Take(id));
  CHECK_FALSE(challenges.Take(id));
  challenges.Close(id);
  CHECK_FALSE(challenges.Take(id));
}

TEST_CASE("challenges: all of one user end at once, others stay", "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  const std::string open = challenges.Open(Of("ada"));
  const std::string taken = challenges.Open(Of("ada"));
  const std::string bob = challenges.Open(Of("bob", Uid(20002)));
  REQUIRE(challenges.Take(taken));
  challenges.RemoveAllOf(Uid(20001));
  CHECK_FALSE(challenges.Take(open));
  challenges.PutBackUnused(taken);
  CHECK_FALSE(challenges.Take(taken));
  CHECK_FALSE(challenges.Close(taken));
  CHECK(challenges.Take(bob));
  CHECK(challenges.Close(bob));
}

TEST_CASE("challenges: expire after five minutes", "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  const std::string id = challenges.Open(Of("ada"));
  clock.Advance(LoginChallenges::kLifetime - absl::Microseconds(1));
  REQUIRE(challenges.Take(id));
  challenges.PutBackUnused(id);
  clock.Advance(absl::Microseconds(1));
  CHECK_FALSE(challenges.Take(id));
}

TEST_CASE("challenges: a stolen password ends none of the owner's",
          "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  Challenge at_home = Of("ada");
  at_home.known_address = true;
  const std::string owners = challenges.Open(at_home);
  const std::string first = challenges.Open(Of("ada"));
  for (int i = 0; i < 100; ++i) challenges.Open(Of("ada"));
  CHECK_FALSE(challenges.Take(first));
  CHECK(challenges.Take(owners));
}

TEST_CASE("challenges: returns the account until it expires", "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  CHECK(challenges.AccountOf("none").empty());
  const std::string id = challenges.Open(Of("ada"));
  REQUIRE(challenges.Take(id));
  CHECK(challenges.AccountOf(id) == "ada");
  clock.Advance(LoginChallenges::kLifetime);
  CHECK(challenges.AccountOf(id).empty());
}

TEST_CASE("challenges: are invalid after five wrong codes", "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  const std::string id = challenges.Open(Of("ada"));
  for (int i = 0; i < LoginChallenges::kMaxWrong; ++i) {
    REQUIRE(challenges.Take(id));
    challenges.PutBack(id);
  }
  CHECK_FALSE(challenges.Take(id));
}

TEST_CASE("challenges: a check that was not made costs no try", "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  const std::string id = challenges.Open(Of("ada"));
  for (int i = 0; i < 20; ++i) {
    REQUIRE(challenges.Take(id));
    challenges.PutBackUnused(id);
  }
  CHECK(challenges.Take(id));
}

TEST_CASE("challenges: an account's oldest is dropped, others stay",
          "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  const std::string bob = challenges.Open(Of("bob"));
  std::vector<std::string> ids;
  for (size_t i = 0; i <= LoginChallenges::kMaxPerAccount; ++i) {
    ids.push_back(challenges.Open(Of("ada")));
  }
  CHECK_FALSE(challenges.Take(ids[0]));
  for (size_t i = 1; i < ids.size(); ++i) CHECK(challenges.Take(ids[i]));
  CHECK(challenges.Take(bob));
}

TEST_CASE("challenges: never more than a bounded number", "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  const std::string first = challenges.Open(Of("first"));
  for (size_t i = 0; i < LoginChallenges::kMaxEntries; ++i) {
    challenges.Open(Of("user" + std::to_string(i)));
  }
  CHECK_FALSE(challenges.Take(first));
}

TEST_CASE("challenges: takes the challenge that was opened", "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  const std::string id = challenges.Open(Of("ada"));
  CHECK(id.size() == 43);
  CHECK(id != challenges.Open(Of("ada")));
  const auto challenge = challenges.Take(id);
  REQUIRE(challenge);
  CHECK(challenge->person.username == "ada");
  CHECK(challenge->new_secret == "secret of ada");
}

TEST_CASE("challenges: keeps a proved factor and counts each attempt",
          "[backend]") {
  FakeClock clock;
  LoginChallenges challenges(&clock);
  const std::string id = challenges.Open(Of("ada"));
  for (int i = 0; i < LoginChallenges::kMaxWrong; ++i) {
    const auto taken = challenges.Take(id);
    REQUIRE(taken);
    CHECK(taken->proved == (i > 0));
    challenges.MarkProved(id, {"a code"});
    challenges.PutBack(id);
  }
  CHECK_FALSE(challenges.Take(id));
}

}  // namespace
}  // namespace carme::backend
