#include "backend/slurm/poll/poll_interval.h"

#include <catch2/catch.hpp>

namespace carme::backend {
namespace {

constexpr absl::Duration kInterval = absl::Milliseconds(1350);

TEST_CASE("poll interval: is the configured one for cheap polls", "[backend]") {
  for (const int ms : {0, 1, 20, 54}) {
    CAPTURE(ms);
    CHECK(PollIntervalFor(kInterval, absl::Milliseconds(ms)).normal ==
          kInterval);
  }
}

TEST_CASE("poll interval: expensive polls use at most 4 % of a CPU",
          "[backend]") {
  for (const int ms : {55, 100, 400}) {
    CAPTURE(ms);
    const absl::Duration cost = absl::Milliseconds(ms);
    const absl::Duration normal = PollIntervalFor(kInterval, cost).normal;
    CHECK(absl::FDivDuration(cost, normal) <= 0.04);
    CHECK(normal < 30 * cost);
  }
}

TEST_CASE("poll interval: is at most ten seconds", "[backend]") {
  const PollInterval pace = PollIntervalFor(kInterval, absl::Seconds(5));
  CHECK(pace.normal == absl::Seconds(10));
  CHECK(pace.soon == absl::Seconds(2));
}

TEST_CASE("poll interval: soon is at most ten a second and 20 % of a CPU",
          "[backend]") {
  CHECK(PollIntervalFor(kInterval, absl::ZeroDuration()).soon ==
        absl::Milliseconds(100));
  for (const int ms : {1, 20, 21, 100, 400}) {
    CAPTURE(ms);
    const absl::Duration cost = absl::Milliseconds(ms);
    const PollInterval pace = PollIntervalFor(kInterval, cost);
    CHECK(pace.soon >= absl::Milliseconds(100));
    CHECK(pace.soon >= 5 * cost);
    CHECK(pace.soon <= pace.normal);
  }
}

}  // namespace
}  // namespace carme::backend
