#include "common/concurrency/thread_pool.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"

namespace carme {
namespace {

TEST_CASE("thread pool: refuses tasks when its queue is full", "[common]") {
  absl::Notification go;
  std::atomic<int> begun = 0, done = 0;
  ThreadPool work(2, 3);
  const auto piece = [&] {
    ++begun;
    go.WaitForNotification();
    ++done;
  };
  REQUIRE(work.Add(piece));
  REQUIRE(work.Add(piece));
  while (begun < 2) absl::SleepFor(absl::Milliseconds(1));
  for (int i = 0; i < 3; ++i) CHECK(work.Add(piece));
  CHECK_FALSE(work.Add(piece));
  go.Notify();
  while (done < 5) absl::SleepFor(absl::Milliseconds(1));
  CHECK(work.Add([] {}));
}

}  // namespace
}  // namespace carme
