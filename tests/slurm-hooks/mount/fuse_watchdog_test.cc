#include "slurm-hooks/mount/images/fuse_watchdog.h"

#include <pthread.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

namespace carme::mount {
namespace {

TEST_CASE(
    "FUSE watchdog: detects a reader that computes too long on one request",
    "[edf]") {
  Progress progress;
  CHECK_FALSE(progress.IsOverdue(1, 500, 1000));
  CHECK_FALSE(progress.IsOverdue(1, 1500, 1000));
  CHECK(progress.IsOverdue(1, 1501, 1000));
}

TEST_CASE("FUSE watchdog: accepts many requests, none, and waiting", "[edf]") {
  Progress progress;
  for (uint32_t turns = 1; turns < 9; turns += 2) {
    CHECK_FALSE(progress.IsOverdue(turns, turns * 5000, 1000));
  }
  CHECK_FALSE(progress.IsOverdue(10, 90000, 1000));
  CHECK_FALSE(progress.IsOverdue(10, 99000, 1000));
  for (int i = 0; i < 100; ++i)
    CHECK_FALSE(progress.IsOverdue(11, 99000, 1000));
}

TEST_CASE("FUSE watchdog: uses the CPU clock of the thread", "[edf]") {
  FuseWatchdog watch;
  std::atomic<bool> found = false;
  std::thread computes([&] {
    while (!found) {
    }
  });
  clockid_t clock = 0;
  REQUIRE(pthread_getcpuclockid(computes.native_handle(), &clock) == 0);
  ++*watch.Add(clock);
  watch.Watch(1);
  found = true;
  computes.join();
}

}  // namespace
}  // namespace carme::mount
