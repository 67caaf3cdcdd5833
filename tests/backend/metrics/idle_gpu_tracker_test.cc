#include "backend/metrics/gpu_idle/idle_gpu_tracker.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace carme::metrics {
namespace {

constexpr double kThreshold = 0.02;
const NodeAndGpu kFirst{"n1", "0"};
const NodeAndGpu kSecond{"n1", "1"};
const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

// A point each minute.
struct Minutes {
  void Apply(const std::map<NodeAndGpu, double>& largest, int count = 1) {
    for (int i = 0; i < count; ++i) {
      tracker.Apply(kStart + absl::Minutes(minute++), largest);
    }
  }
  absl::Duration Of(const NodeAndGpu& gpu) const {
    return tracker.IdleFor().at(gpu);
  }
  IdleGpuTracker tracker{kThreshold};
  int minute = 0;
};

TEST_CASE("idle GPUs: nothing is known without samples", "[metrics]") {
  Minutes minutes;
  CHECK(minutes.tracker.IdleFor().empty());
  minutes.Apply({}, 60);
  CHECK(minutes.tracker.IdleFor().empty());
}

TEST_CASE("idle GPUs: a GPU without samples is forgotten", "[metrics]") {
  Minutes minutes;
  minutes.Apply({{kFirst, 0}, {kSecond, 0}}, 61);
  minutes.Apply({{kFirst, 0}});
  CHECK(minutes.Of(kFirst) == absl::Minutes(61));
  CHECK_FALSE(minutes.tracker.IdleFor().contains(kSecond));
  // It begins anew.
  minutes.Apply({{kFirst, 0}, {kSecond, 0}});
  CHECK(minutes.Of(kSecond) == absl::ZeroDuration());
}

TEST_CASE("idle GPUs: a gap between points begins all anew", "[metrics]") {
  Minutes minutes;
  minutes.Apply({{kFirst, 0}}, 61);
  minutes.minute += 1;
  minutes.Apply({{kFirst, 0}});
  CHECK(minutes.Of(kFirst) == absl::ZeroDuration());
}

TEST_CASE("idle GPUs: a clock that is set back begins all anew", "[metrics]") {
  Minutes minutes;
  minutes.Apply({{kFirst, 0}}, 61);
  minutes.minute -= 30;
  minutes.Apply({{kFirst, 0}});
  CHECK(minutes.Of(kFirst) == absl::ZeroDuration());
}

TEST_CASE("idle GPUs: use ends the idle time of this GPU only", "[metrics]") {
  Minutes minutes;
  minutes.Apply({{kFirst, 0}, {kSecond, 0}}, 31);
  minutes.Apply({{kFirst, 0.9}, {kSecond, 0}});
  CHECK(minutes.Of(kFirst) == absl::ZeroDuration());
  CHECK(minutes.Of(kSecond) == absl::Minutes(31));
  minutes.Apply({{kFirst, 0}, {kSecond, 0}}, 11);
  CHECK(minutes.Of(kFirst) == absl::Minutes(10));
  CHECK(minutes.Of(kSecond) == absl::Minutes(42));
}

TEST_CASE("idle GPUs: the threshold itself is use, and so is no number",
          "[metrics]") {
  for (const double used : {kThreshold, 1.0, std::nan(""), HUGE_VAL}) {
    CAPTURE(used);
    Minutes minutes;
    minutes.Apply({{kFirst, 0}}, 10);
    minutes.Apply({{kFirst, used}});
    CHECK(minutes.Of(kFirst) == absl::ZeroDuration());
  }
  Minutes minutes;
  minutes.Apply({{kFirst, std::nextafter(kThreshold, 0)}}, 11);
  CHECK(minutes.Of(kFirst) == absl::Minutes(10));
}

}  // namespace
}  // namespace carme::metrics
