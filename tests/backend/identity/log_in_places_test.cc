#include "backend/identity/log_in_places.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

namespace carme::backend {
namespace {

// People at a step, who stay until the end.
struct Step {
  LogInPlaces places;
  std::vector<std::unique_ptr<LogInPlaces::Place>> taken;

  bool Enter(const Claimant& claimant) {
    taken.push_back(std::make_unique<LogInPlaces::Place>(&places, claimant));
    return taken.back()->fits();
  }
  int EnterStrangers(int count) {
    int fit = 0;
    for (int i = 0; i < count; ++i) {
      fit += Enter({.address = "198.51.100." + std::to_string(i)});
    }
    return fit;
  }
};

TEST_CASE("log-in places: strangers take three quarters", "[backend]") {
  Step step;
  CHECK(step.EnterStrangers(200) == LogInPlaces::kMostOfStrangers);
  CHECK(step.Enter({.account = "ada", .at_habit = true, .address = "::1"}));
  CHECK(step.Enter({.account = "ada", .at_habit = false, .address = "::2"}));
  step.taken.erase(step.taken.begin());
  CHECK(step.Enter({.address = "192.0.2.1"}));
  CHECK_FALSE(step.Enter({.address = "192.0.2.2"}));
}

TEST_CASE("log-in places: a stranger's address takes a quarter", "[backend]") {
  Step step;
  int fit = 0;
  for (int i = 0; i < 100; ++i) {
    fit += step.Enter({.address = "2001:db8::" + std::to_string(i)});
  }
  CHECK(fit == LogInPlaces::kMostOfAddress);
  CHECK(step.Enter({.address = "2001:db8:0:1::1"}));
}

TEST_CASE("log-in places: a stolen password takes none of its owner's",
          "[backend]") {
  Step step;
  int fit = 0;
  for (int i = 0; i < 100; ++i) {
    fit += step.Enter({.account = "ada",
                       .at_habit = false,
                       .address = "198.51.100." + std::to_string(i)});
  }
  CHECK(fit == LogInPlaces::kMostOfAccount);
  CHECK(step.Enter({.account = "ada", .at_habit = true, .address = "::1"}));
  CHECK(step.Enter({.account = "bob", .at_habit = false, .address = "::1"}));
}

TEST_CASE("log-in places: there are no more than there are", "[backend]") {
  Step step;
  int fit = 0;
  for (int i = 0; i < 100; ++i) {
    fit += step.Enter({.account = "user" + std::to_string(i),
                       .at_habit = true,
                       .address = ""});
  }
  CHECK(fit == LogInPlaces::kMost);
  step.taken.clear();
  CHECK(step.EnterStrangers(100) == LogInPlaces::kMostOfStrangers);
}

}  // namespace
}  // namespace carme::backend
