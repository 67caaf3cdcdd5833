#include "common/net/event_loop.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <thread>
#include <vector>

#include "tests/common/net/loop_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

class TestTimer : public net::Timer {
 public:
  TestTimer(net::TimerWheel& wheel, std::vector<int64_t>* fired)
      : Timer(wheel), clock_(wheel), fired_(fired) {}
  using Timer::ArmTimer;
  using Timer::DisarmTimer;

 private:
  void OnDeadline() override { fired_->push_back(clock_.now_ms()); }
  net::TimerWheel& clock_;
  std::vector<int64_t>* fired_;
};

// Advances as a loop would: to the next time that the wheel returns.
void AdvanceTo(net::TimerWheel& wheel, int64_t target) {
  while (wheel.now_ms() < target) {
    int sleep = wheel.SleepMs();
    int64_t next = sleep < 0 ? target : wheel.now_ms() + std::max(sleep, 1);
    wheel.Advance(std::min(next, target));
  }
}

TEST_CASE("timer wheel: fires within a tick after the deadline", "[net]") {
  for (int64_t delay : {0, 1, 49, 50, 51, 999, 51'150, 51'200, 3'600'000}) {
    net::TimerWheel wheel(7'777);
    std::vector<int64_t> fired;
    TestTimer timer(wheel, &fired);
    timer.ArmTimer(delay);
    AdvanceTo(wheel, 7'777 + delay + 200);
    INFO("delay " << delay);
    REQUIRE(fired.size() == 1);
    CHECK(fired[0] >= 7'777 + delay);
    CHECK(fired[0] <= 7'777 + delay + net::TimerWheel::kTickMs);
    CHECK(wheel.SleepMs() == -1);
  }
}

TEST_CASE("timer wheel: a disarmed or destroyed timer is silent", "[net]") {
  net::TimerWheel wheel(0);
  std::vector<int64_t> fired;
  TestTimer disarmed(wheel, &fired);
  disarmed.ArmTimer(100);
  disarmed.DisarmTimer();
  {
    TestTimer destroyed(wheel, &fired);
    destroyed.ArmTimer(100);
  }
  AdvanceTo(wheel, 1'000);
  CHECK(fired.empty());
}

TEST_CASE("timer wheel: a deadline moves both ways", "[net]") {
  net::TimerWheel wheel(0);
  std::vector<int64_t> fired;
  TestTimer later(wheel, &fired);
  later.ArmTimer(100);
  later.ArmTimer(5'000);
  AdvanceTo(wheel, 4'900);
  CHECK(fired.empty());
  later.ArmTimer(100);
  AdvanceTo(wheel, 5'060);
  CHECK(fired.size() == 1);
}

TEST_CASE("timer wheel: sleeping through many turns fires once", "[net]") {
  net::TimerWheel wheel(0);
  std::vector<int64_t> fired;
  TestTimer timer(wheel, &fired);
  timer.ArmTimer(10);
  wheel.Advance(10'000'000);
  CHECK(fired.size() == 1);
}

TEST_CASE("event loop: runs what other threads post, in order", "[net]") {
  auto loop = net::EventLoop::Create();
  REQUIRE_THAT(loop, IsOk());
  std::vector<int> seen;
  std::thread poster([&] {
    for (int i = 0; i < 1000; ++i) (*loop)->Post([&, i] { seen.push_back(i); });
    (*loop)->Post([&] { (*loop)->Stop(); });
  });
  (*loop)->Run();
  poster.join();
  REQUIRE(seen.size() == 1000);
  for (int i = 0; i < 1000; ++i) CHECK(seen[static_cast<size_t>(i)] == i);
}

TEST_CASE("event loop: stopping ends sleepers and readers", "[net]") {
  auto loop = net::EventLoop::Create();
  REQUIRE_THAT(loop, IsOk());
  SocketPair pair = NewSocketPair();
  int slept = -1, read = -1;
  auto sleeper = [&]() -> net::Task<void> {
    slept = co_await net::Sleep(**loop, absl::Hours(1));
  };
  auto reader = [&]() -> net::Task<void> {
    auto stream = NewStream(**loop, std::move(pair.a));
    char byte;
    net::IoResult got = co_await stream->Read(&byte, 1);
    read = got.error;
  };
  (*loop)->Spawn(sleeper());
  (*loop)->Spawn(reader());
  (*loop)->Stop();
  (*loop)->Run();
  CHECK(slept == ECANCELED);
  CHECK(read == ECANCELED);
  CHECK((*loop)->tasks() == 0);
}

TEST_CASE("task: a loop of tasks that end at once uses no stack", "[net]") {
  auto one = []() -> net::Task<int> { co_return 1; };
  int64_t sum = 0;
  auto body = [&](net::EventLoop&) -> net::Task<void> {
    for (int i = 0; i < 1'000'000; ++i) {
      int value = co_await one();
      sum += value;
    }
  };
  RunOnLoop(body);
  CHECK(sum == 1'000'000);
}

TEST_CASE("latch: one waits for many", "[net]") {
  auto body = [](net::EventLoop& loop) -> net::Task<void> {
    net::Latch latch(loop, 3);
    auto child = [&](int ms) -> net::Task<void> {
      co_await net::Sleep(loop, absl::Milliseconds(ms));
      latch.CountDown();
    };
    for (int ms : {0, 60, 10}) loop.Spawn(child(ms));
    co_await latch.Wait();
  };
  RunOnLoop(body);
}

}  // namespace
}  // namespace carme::testing
