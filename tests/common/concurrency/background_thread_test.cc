#include "common/concurrency/background_thread.h"

#include <pthread.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "tests/support/wait_for.h"

namespace carme {
namespace {

// A queue that a background thread empties.
struct Adder {
  absl::Mutex mutex;
  std::deque<int> waiting;
  std::atomic<int> sum = 0;
  std::atomic<int> calls = 0;
  BackgroundThread thread{"adder", [this] { return AddNext(); }};

  absl::Duration AddNext() {
    ++calls;
    absl::MutexLock lock(&mutex);
    if (waiting.empty()) return absl::InfiniteDuration();
    sum += waiting.front();
    waiting.pop_front();
    return absl::ZeroDuration();
  }
  void Add(int number) {
    {
      absl::MutexLock lock(&mutex);
      waiting.push_back(number);
    }
    thread.Wake();
  }
};

TEST_CASE("background thread: processes each wake", "[common]") {
  Adder adder;
  for (int i = 1; i <= 100; ++i) adder.Add(i);
  CHECK(testing::WaitFor([&] { return adder.sum == 5050; }));
  adder.Add(7);
  CHECK(testing::WaitFor([&] { return adder.sum == 5057; }));
}

TEST_CASE("background thread: does not call without work", "[common]") {
  Adder adder;
  adder.Add(1);
  CHECK(testing::WaitFor([&] { return adder.sum == 1; }));
  const int calls = adder.calls;
  CHECK(calls <= 4);
  adder.thread.Wake();
  CHECK(testing::WaitFor([&] { return adder.calls > calls; }));
}

TEST_CASE("background thread: calls periodically, and when woken", "[common]") {
  std::atomic<int> ticks = 0;
  const BackgroundThread ticker("ticker", absl::Milliseconds(5),
                                [&] { ++ticks; });
  CHECK(testing::WaitFor([&] { return ticks >= 3; }));

  std::atomic<int> woken = 0;
  BackgroundThread hourly("hourly", absl::Hours(1), [&] { ++woken; });
  hourly.Wake();
  CHECK(testing::WaitFor([&] { return woken == 1; }));
}

TEST_CASE("background thread: a wake during a call is not lost", "[common]") {
  std::atomic<int> calls = 0;
  absl::Notification begun, go;
  BackgroundThread thread("slow", [&] {
    if (++calls == 1) {
      begun.Notify();
      go.WaitForNotification();
    }
    return absl::InfiniteDuration();
  });
  begun.WaitForNotification();
  thread.Wake();
  go.Notify();
  CHECK(testing::WaitFor([&] { return calls == 2; }));
}

TEST_CASE("background thread: the destructor waits for the running call only",
          "[common]") {
  std::atomic<int> begun = 0, ended = 0;
  auto thread = std::make_unique<BackgroundThread>("endless", [&] {
    ++begun;
    absl::SleepFor(absl::Milliseconds(1));
    ++ended;
    return absl::ZeroDuration();
  });
  CHECK(testing::WaitFor([&] { return begun > 0; }));
  thread.reset();
  CHECK(begun == ended);
}

TEST_CASE("background thread: a stop ends a sleep, a wake does not",
          "[common]") {
  std::atomic<bool> slept = false, went_on = false;
  BackgroundThread thread;
  CHECK_FALSE(thread.started());
  thread.Start("sleeper", [&] {
    slept = true;
    went_on = thread.SleepFor(absl::Hours(1));
    return absl::ZeroDuration();
  });
  CHECK(thread.started());
  CHECK(testing::WaitFor([&] { return slept.load(); }));
  thread.Wake();
  CHECK_FALSE(thread.stopping());
  thread.RequestStop();
  CHECK(thread.stopping());
  thread.Stop();
  thread.Stop();
  CHECK_FALSE(went_on);
}

TEST_CASE("background thread: has its name", "[common]") {
  char name[16] = "";
  absl::Notification done;
  const BackgroundThread thread("carme-named", [&] {
    pthread_getname_np(pthread_self(), name, sizeof name);
    done.Notify();
    return absl::InfiniteDuration();
  });
  done.WaitForNotification();
  CHECK(std::string(name) == "carme-named");
}

}  // namespace
}  // namespace carme
