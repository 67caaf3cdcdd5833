#include "common/concurrency/concurrency_limiter.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace carme {
namespace {

using Limiter = ConcurrencyLimiter<std::string>;

TEST_CASE("concurrency limiter: refuses beyond the limit of a key",
          "[common]") {
  Limiter limiter(10, 2);
  const auto first = limiter.TryAcquire("ada");
  auto second = limiter.TryAcquire("ada");
  CHECK(first.acquired());
  CHECK(second.acquired());
  const auto third = limiter.TryAcquire("ada");
  CHECK_FALSE(third.acquired());
  CHECK(third.limit_reached() == LimitReached::kKey);
  CHECK(limiter.TryAcquire("bob").acquired());
  CHECK(limiter.CountOf("ada") == 2);
  CHECK(limiter.CountOf("bob") == 0);
  second.Release();
  CHECK_FALSE(second.acquired());
  CHECK(limiter.TryAcquire("ada").acquired());
  CHECK(limiter.count() == 1);
}

TEST_CASE("concurrency limiter: refuses beyond the total", "[common]") {
  Limiter limiter(2, 2);
  auto first = limiter.TryAcquire("ada");
  const auto second = limiter.TryAcquire("bob");
  const auto third = limiter.TryAcquire("cyd");
  CHECK_FALSE(third.acquired());
  CHECK(third.limit_reached() == LimitReached::kTotal);
  CHECK(limiter.TryAcquire().limit_reached() == LimitReached::kTotal);
  CHECK(limiter.count() == 2);
  CHECK(limiter.CountOf("cyd") == 0);
  first.Release();
  CHECK(limiter.count() == 1);
  CHECK(limiter.TryAcquire("cyd").acquired());
}

TEST_CASE("concurrency limiter: a slot gets its key later", "[common]") {
  Limiter limiter(5, 2);
  std::vector<Limiter::Slot> slots;
  for (int i = 0; i < 4; ++i) slots.push_back(limiter.TryAcquire());
  CHECK(slots[0].SetKey("a"));
  CHECK(slots[1].SetKey("a"));
  CHECK_FALSE(slots[2].SetKey("a"));
  CHECK(slots[2].acquired());
  CHECK_FALSE(slots[2].has_key());
  slots.push_back(limiter.TryAcquire("b"));
  CHECK(slots[4].acquired());
  CHECK_FALSE(limiter.TryAcquire("c").acquired());  // all are taken
  CHECK(limiter.count() == 5);
  slots[0].Release();
  slots[2].Release();
  CHECK(limiter.count() == 3);
  const auto again = limiter.TryAcquire("a");
  CHECK(again.acquired());
  CHECK(again.key() == "a");
  CHECK_FALSE(limiter.TryAcquire("a").acquired());
}

TEST_CASE("concurrency limiter: a moved slot is released once", "[common]") {
  Limiter limiter(5, 5);
  {
    auto slot = limiter.TryAcquire("a");
    Limiter::Slot moved = std::move(slot);
    CHECK(moved.acquired());
    CHECK(limiter.CountOf("a") == 1);
    moved = limiter.TryAcquire("b");  // releases the other one
    CHECK(limiter.CountOf("a") == 0);
    CHECK(limiter.count() == 1);
  }
  CHECK(limiter.count() == 0);
}

TEST_CASE("concurrency limiter: parallel threads never exceed it", "[common]") {
  ConcurrencyLimiter<int> limiter(3, 2);
  std::atomic<int> in_use = 0;
  std::atomic<bool> exceeded = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 2000; ++k) {
        const auto slot = limiter.TryAcquire(i % 2);
        if (!slot.acquired()) continue;
        if (++in_use > 3) exceeded = true;
        --in_use;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(exceeded);
  CHECK(limiter.count() == 0);
  CHECK(limiter.CountOf(0) == 0);
}

}  // namespace
}  // namespace carme
