#include "backend/privileged/authz/shared_rate_limiter.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>

namespace carme {
namespace {

using Result = SharedRateLimiter::Result;

constexpr absl::Duration kNow = absl::Hours(3);

TEST_CASE("shared rate limiter: names the exceeded limit", "[backend]") {
  const auto limiter = SharedRateLimiter::Create(2, 3).value();
  CHECK(limiter->Admit(20001, 3, kNow) == Result::kUserLimit);
  CHECK(limiter->Admit(20001, 2, kNow) == Result::kAdmitted);
  CHECK(limiter->Admit(20001, 1, kNow) == Result::kUserLimit);
  CHECK(limiter->Admit(20002, 2, kNow) == Result::kTotalLimit);
}

TEST_CASE("shared rate limiter: admits again after a minute", "[backend]") {
  const auto limiter = SharedRateLimiter::Create(1, 100).value();
  CHECK(limiter->Admit(20001, 1, kNow) == Result::kAdmitted);
  CHECK(limiter->Admit(20001, 1, kNow + absl::Seconds(59)) ==
        Result::kUserLimit);
  CHECK(limiter->Admit(20001, 1, kNow + absl::Seconds(61)) ==
        Result::kAdmitted);
}

TEST_CASE("shared rate limiter: counts events of other processes",
          "[backend]") {
  const auto limiter = SharedRateLimiter::Create(1, 100).value();
  const pid_t child = fork();
  if (child == 0) {
    limiter->Admit(20001, 1, kNow);
    _exit(0);
  }
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(limiter->Admit(20001, 1, kNow) == Result::kUserLimit);
}

}  // namespace
}  // namespace carme
