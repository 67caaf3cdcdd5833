#include "common/concurrency/rate_limiter.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace carme {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST_CASE("rate limiter: refuses what exceeds burst and rate", "[common]") {
  const RateLimiter limiter(absl::Milliseconds(500), /*burst=*/3);
  int64_t now = 1'800'000'000 * kSecond;
  int64_t due = 0;
  for (int i = 0; i < 3; ++i) CHECK(limiter.Allow(&due, now));
  CHECK_FALSE(limiter.Allow(&due, now));
  now += kSecond / 2 - 1;
  CHECK_FALSE(limiter.Allow(&due, now));
  now += 1;
  CHECK(limiter.Allow(&due, now));
  CHECK_FALSE(limiter.Allow(&due, now));
  // A bucket holds no more than the burst, and refusals cost nothing.
  now += 3600 * kSecond;
  for (int i = 0; i < 3; ++i) CHECK(limiter.Allow(&due, now));
  CHECK_FALSE(limiter.Allow(&due, now));
  CHECK(due == now + limiter.window_ns());
}

TEST_CASE("rate limiter: counts the cost of an event", "[common]") {
  const RateLimiter limiter(absl::Seconds(1), /*burst=*/10);
  int64_t due = 0;
  CHECK_FALSE(limiter.Allow(&due, 0, 11));
  CHECK_FALSE(limiter.Allow(&due, 0, int64_t{1} << 62));
  CHECK(due == 0);
  CHECK(limiter.Allow(&due, 0, 7));
  CHECK_FALSE(limiter.Allow(&due, 0, 4));
  CHECK(limiter.Allow(&due, 0, 3));
  CHECK(limiter.Allow(&due, 5 * kSecond, 5));
  CHECK_FALSE(limiter.Allow(&due, 5 * kSecond));
}

TEST_CASE("rate limiter: a clock that is set back refuses nothing for long",
          "[common]") {
  const RateLimiter limiter(absl::Seconds(1), /*burst=*/2);
  int64_t now = 1'800'000'000 * kSecond;
  int64_t due = 0;
  CHECK(limiter.Allow(&due, now, 2));
  // Two threads that read the clock at different times do not refill it.
  limiter.ResetAfterClockChange(&due, now - 1000);
  CHECK_FALSE(limiter.Allow(&due, now - 1000));
  now -= 3600 * kSecond;
  limiter.ResetAfterClockChange(&due, now);
  CHECK(limiter.Allow(&due, now));
  CHECK(limiter.Allow(&due, now));
  CHECK_FALSE(limiter.Allow(&due, now));
}

TEST_CASE("rate limiter: allows exactly the burst to parallel threads",
          "[common]") {
  const RateLimiter limiter(absl::Minutes(1), /*burst=*/1000);
  int64_t due = 0;
  std::atomic<int> allowed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 500; ++k) {
        allowed += limiter.Allow(std::atomic_ref(due), kSecond) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(allowed == 1000);
}

}  // namespace
}  // namespace carme
