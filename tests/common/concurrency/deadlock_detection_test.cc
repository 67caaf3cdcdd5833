#include "common/concurrency/deadlock_detection.h"

#include <catch2/catch.hpp>
#include <optional>

#include "absl/synchronization/mutex.h"

namespace carme {
namespace {

// Would end the program with Debian 13's Abseil.
TEST_CASE("deadlock detection: new mutexes at old addresses take any order",
          "[common]") {
  DisableDeadlockDetection();
  std::optional<absl::Mutex> first;
  std::optional<absl::Mutex> second;
  for (const bool reversed : {false, true}) {
    first.emplace();
    second.emplace();
    const absl::MutexLock outer(reversed ? &*second : &*first);
    const absl::MutexLock inner(reversed ? &*first : &*second);
    CHECK(first.has_value());
  }
}

}  // namespace
}  // namespace carme
