#include "common/gpu_saturation/saturation.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "common/gpu_saturation/evaluation.h"

namespace carme::gpu {
namespace {

TEST_CASE("saturation: has no score if a pipe was not measured", "[gpu]") {
  PipeActivity activity{.sm_active = 1,
                        .sm_occupancy = 1,
                        .tensor = 0.5,
                        .fp64 = 0,
                        .fp32 = 0.25,
                        .fp16 = 0.125};
  REQUIRE(ToSaturationInput(activity)->flop_active == 0.875);
  activity.fp64.reset();
  CHECK_FALSE(ToSaturationInput(activity));
}

TEST_CASE("saturation: equals the published values", "[gpu]") {
  struct Golden {
    double a, f, o, score;
  };
  const Golden golden[] = {{0, 0, 0, 0},
                           {1, 0, 0, 0},
                           {1, 0, 1, 0.772103},
                           {1, .5, .5, 0.649863},
                           {.9, .3, .5, 0.446703},
                           {.5, .1, .2, 0.216487},
                           {.05, .02, .1, 0.060209},
                           {.95, .6, .25, 0.729814},
                           {1, 1, 1, 0.913253},
                           {1, 2, 1, 0.995897}};
  for (const Golden& row : golden) {
    CAPTURE(row.a, row.f, row.o);
    CHECK(std::abs(Saturation({row.a, row.f, row.o}) - row.score) < 1e-6);
  }
}

TEST_CASE("saturation: is in [0, 1) and monotone in A and O", "[gpu]") {
  constexpr int kSteps = 20;
  for (int i = 0; i <= 4 * kSteps; ++i) {
    const double f = static_cast<double>(i) / kSteps;
    for (int j = 0; j <= kSteps; ++j) {
      const double fixed = static_cast<double>(j) / kSteps;
      double last_a = 0, last_o = 0;
      for (int k = 0; k <= kSteps; ++k) {
        const double moving = static_cast<double>(k) / kSteps;
        const double by_a = Saturation({moving, f, fixed});
        const double by_o = Saturation({fixed, f, moving});
        REQUIRE(by_a >= last_a);
        REQUIRE(by_o >= last_o);
        REQUIRE(by_a < 1);
        last_a = by_a;
        last_o = by_o;
      }
    }
  }
  CHECK(Saturation({1, 1000, 1}) < 1);
}

TEST_CASE("saturation: falls and then rises with F", "[gpu]") {
  CHECK(Saturation({1, 0.177, 1}) < 0.39);
  CHECK(Saturation({1, 0, 1}) > 0.77);
  double last = Saturation({1, 0.18, 1});
  for (double f = 0.19; f < 3; f += 0.01) {
    const double score = Saturation({1, f, 1});
    REQUIRE(score > last);
    last = score;
  }
}

TEST_CASE("saturation: nothing aggregates to nothing", "[gpu]") {
  CHECK_FALSE(Aggregate({}));
  const auto even = Aggregate({4, 1, 3, 2});
  CHECK(even->mean == 2.5);
  CHECK(even->median == 2.5);
  CHECK(even->min == 1);
  CHECK(even->max == 4);
  CHECK(Aggregate({5, 1, 3})->median == 3);
}

TEST_CASE("evaluation: does not rate what was not measured", "[gpu]") {
  const GpuUseEvaluation evaluation =
      Evaluate({{0, {}, {}, {}}, {1, {}, {}, {}}}, 700);
  CHECK_FALSE(evaluation.gpu_start);
  CHECK_FALSE(evaluation.total.gpu_util);
  CHECK_FALSE(evaluation.total.compute);
  CHECK_FALSE(evaluation.total.power);
  CHECK_FALSE(evaluation.after_start);
  CHECK_FALSE(Evaluate({{0, {}, {}, 100}}, std::nullopt).total.power);
}

TEST_CASE("evaluation: a value at a limit has the lower rating", "[gpu]") {
  const auto rate = [](double util, double compute, double power) {
    return Evaluate({{0, util, compute, power}}, 700).total;
  };
  CHECK(rate(25, 0.0625, 100).gpu_util->rating == Rating::kPoor);
  CHECK(rate(25, 0.0625, 100).compute->rating == Rating::kPoor);
  CHECK(rate(25, 0.0625, 100).power->rating == Rating::kPoor);
  CHECK(rate(50, 0.125, 200).gpu_util->rating == Rating::kImprove);
  CHECK(rate(50, 0.125, 200).compute->rating == Rating::kImprove);
  CHECK(rate(50, 0.125, 200).power->rating == Rating::kImprove);
  CHECK(rate(75, 0.25, 500).gpu_util->rating == Rating::kAcceptable);
  CHECK(rate(75, 0.25, 500).compute->rating == Rating::kAcceptable);
  CHECK(rate(75, 0.25, 500).power->rating == Rating::kAcceptable);
  CHECK(rate(76, 0.26, 501).gpu_util->rating == Rating::kGood);
  CHECK(rate(76, 0.26, 501).compute->rating == Rating::kGood);
  CHECK(rate(76, 0.26, 501).power->rating == Rating::kGood);
}

TEST_CASE("evaluation: scales limits of power to the board", "[gpu]") {
  CHECK(Evaluate({{0, {}, {}, 300}}, 700).total.power->rating ==
        Rating::kAcceptable);
  CHECK(Evaluate({{0, {}, {}, 300}}, 350).total.power->rating == Rating::kGood);
}

// A run of one GPU, a sample a second.
GpuUseEvaluation EvaluateUse(const std::vector<double>& percent) {
  std::vector<EvaluationRow> rows;
  for (const double value : percent) {
    rows.push_back({static_cast<double>(rows.size() + 1), value, {}, {}});
  }
  return Evaluate(rows, {});
}

TEST_CASE("evaluation: a run without length has no start", "[gpu]") {
  CHECK_FALSE(EvaluateUse({90}).gpu_start);
  CHECK(EvaluateUse({90}).after_start);
}

// gssr-analyze.py: 100 * (last - first above 50 %) / (last - first).
TEST_CASE("evaluation: the GPU start is a share of time, not of busy rows",
          "[gpu]") {
  CHECK(EvaluateUse({90, 0, 100}).gpu_start->value == 100);
  CHECK(EvaluateUse({90, 0, 0}).gpu_start->rating == Rating::kGood);
  CHECK(EvaluateUse({0, 50, 90, 0, 0}).gpu_start->value == 50);
  CHECK(EvaluateUse({0, 0, 0, 90, 0}).gpu_start->value == 25);
  CHECK(EvaluateUse({0, 0, 0, 90, 0}).gpu_start->rating == Rating::kImprove);
  CHECK(EvaluateUse({0, 90}).gpu_start->rating == Rating::kPoor);
  CHECK(EvaluateUse({0, 50, 50}).gpu_start->value == 0);  // never above
  // with a gap between samples
  CHECK(Evaluate({{10, 0, {}, {}}, {11, 80, {}, {}}, {20, 80, {}, {}}}, {})
            .gpu_start->value == 90);
}

TEST_CASE("evaluation: separates the run after its GPUs start", "[gpu]") {
  const GpuUseEvaluation late = EvaluateUse({0, 80});
  CHECK(late.total.gpu_util->value == 40);
  CHECK(late.after_start->gpu_util->value == 80);
  CHECK_FALSE(EvaluateUse({0, 50}).after_start);
}

TEST_CASE("evaluation: a time starts if the mean of its GPUs exceeds 50 %",
          "[gpu]") {
  const GpuUseEvaluation evaluation = Evaluate({{0, 100, {}, {}},
                                                {0, 0, {}, {}},
                                                {1, 100, {}, {}},
                                                {1, 20, {}, {}},
                                                {2, 0, {}, {}}},
                                               {});
  CHECK(evaluation.gpu_start->value == 50);
  CHECK(evaluation.total.gpu_util->value == 44);  // of all samples
  CHECK(evaluation.after_start->gpu_util->value == 40);
}

}  // namespace
}  // namespace carme::gpu
