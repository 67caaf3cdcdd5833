// Ratings of a run by the thresholds of gssr-analyze 2: poor, improve,
// acceptable, good. Pure functions.
#ifndef CARME_COMMON_GPU_SATURATION_EVALUATION_H_
#define CARME_COMMON_GPU_SATURATION_EVALUATION_H_

#include <optional>
#include <string_view>
#include <vector>

namespace carme::gpu {

enum class Rating { kPoor, kImprove, kAcceptable, kGood };

std::string_view RatingName(Rating rating);

// One sample of one GPU; absent: not measured.
struct EvaluationRow {
  double time_s = 0;
  std::optional<double> gpu_util_percent;
  // IMMA + HMMA + DFMA + FP64 + FP32 + FP16 + INT
  std::optional<double> compute_activity;
  std::optional<double> power_w;
};

struct RatedValue {
  double value = 0;
  Rating rating = Rating::kPoor;
};

// A criterion is absent if no row has its value.
struct EvaluationPart {
  std::optional<RatedValue> gpu_util;
  std::optional<RatedValue> compute;
  std::optional<RatedValue> power;
};

struct GpuUseEvaluation {
  // Percent of the run after the first time at which the GPU use, averaged over
  // the GPUs, exceeds 50 %; 0: it never does. Absent for a single time.
  std::optional<RatedValue> gpu_start;
  EvaluationPart total;
  // From that time on; absent if there is none.
  std::optional<EvaluationPart> after_start;
};

// `rows`: of one step, in any order. `power_limit_w`: of one board; the
// published limits are those of a board of 700 W and are scaled to it. Without
// it the power is not rated.
GpuUseEvaluation Evaluate(const std::vector<EvaluationRow>& rows,
                          std::optional<double> power_limit_w);

}  // namespace carme::gpu

#endif  // CARME_COMMON_GPU_SATURATION_EVALUATION_H_
