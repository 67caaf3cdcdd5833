#include "backend/slurm/poll/poll_interval.h"

#include <catch2/catch.hpp>

namespace carme::backend {
namespace {

constexpr absl::Duration kInterval = absl::Milliseconds(1350);

TEST_CASE("pace: an answer that costs little is asked for as configured",
          "[backend]") {
  for (const int ms : {0, 1, 20, 54}) {
    CAPTURE(ms);
    CHECK(PaceOf(kInterval, absl::Milliseconds(ms)).usual == kInterval);
  }
}

TEST_CASE("pace: one that costs much takes 4 % of a processor at most",
          "[backend]") {
  for (const int ms : {55, 100, 400}) {
    CAPTURE(ms);
    const absl::Duration cost = absl::Milliseconds(ms);
    const absl::Duration usual = PaceOf(kInterval, cost).usual;
    CHECK(absl::FDivDuration(cost, usual) <= 0.04);
    CHECK(usual < 30 * cost);
  }
}

TEST_CASE("pace: however much it costs, news is not older than ten seconds",
          "[backend]") {
  const PollInterval pace = PaceOf(kInterval, absl::Seconds(5));
  CHECK(pace.usual == absl::Seconds(10));
  CHECK(pace.hurried == absl::Seconds(2));
}

TEST_CASE("pace: hurried, it is ten a second, and 20 % of a processor at most",
          "[backend]") {
  CHECK(PaceOf(kInterval, absl::ZeroDuration()).hurried ==
        absl::Milliseconds(100));
  for (const int ms : {1, 20, 21, 100, 400}) {
    CAPTURE(ms);
    const absl::Duration cost = absl::Milliseconds(ms);
    const PollInterval pace = PaceOf(kInterval, cost);
    CHECK(pace.hurried >= absl::Milliseconds(100));
    CHECK(pace.hurried >= 5 * cost);
    CHECK(pace.hurried <= pace.usual);
  }
}

}  // namespace
}  // namespace carme::backend
