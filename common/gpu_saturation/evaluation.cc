#include "common/gpu_saturation/evaluation.h"

#include <cstddef>

namespace carme::gpu {
namespace {

// The largest values rated poor, improve and acceptable.
struct Limits {
  double poor;
  double improve;
  double acceptable;
};

constexpr Limits kStartLimits{0, 25, 50};
constexpr Limits kUtilLimits{25, 50, 75};
constexpr Limits kComputeLimits{1.0 / 16, 1.0 / 8, 1.0 / 4};
// Of a board of kPublishedBoardW.
constexpr Limits kPowerLimits{100, 200, 500};
constexpr double kPublishedBoardW = 700;
constexpr double kStartedPercent = 50;

RatedValue Rate(double value, const Limits& limits) {
  Rating rating = Rating::kGood;
  if (value <= limits.poor) {
    rating = Rating::kPoor;
  } else if (value <= limits.improve) {
    rating = Rating::kImprove;
  } else if (value <= limits.acceptable) {
    rating = Rating::kAcceptable;
  }
  return {value, rating};
}

using Rows = std::vector<EvaluationRow>;

std::optional<double> Mean(const Rows& rows, size_t first,
                           std::optional<double> EvaluationRow::*column) {
  double sum = 0;
  size_t count = 0;
  for (size_t i = first; i < rows.size(); ++i) {
    const std::optional<double>& value = rows[i].*column;
    if (!value) continue;
    sum += *value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

EvaluationPart EvaluateFrom(const Rows& rows, size_t first,
                            std::optional<double> power_limit_w) {
  EvaluationPart part;
  if (const auto mean = Mean(rows, first, &EvaluationRow::gpu_util_percent)) {
    part.gpu_util = Rate(*mean, kUtilLimits);
  }
  if (const auto mean = Mean(rows, first, &EvaluationRow::compute_activity)) {
    part.compute = Rate(*mean, kComputeLimits);
  }
  const auto power = Mean(rows, first, &EvaluationRow::power_w);
  if (power && power_limit_w && *power_limit_w > 0) {
    const double scale = *power_limit_w / kPublishedBoardW;
    part.power =
        Rate(*power, {kPowerLimits.poor * scale, kPowerLimits.improve * scale,
                      kPowerLimits.acceptable * scale});
  }
  return part;
}

}  // namespace

std::string_view RatingName(Rating rating) {
  switch (rating) {
    case Rating::kPoor:
      return "poor";
    case Rating::kImprove:
      return "improve";
    case Rating::kAcceptable:
      return "acceptable";
    case Rating::kGood:
      return "good";
  }
  return "";
}

GpuUseEvaluation Evaluate(const Rows& rows,
                          std::optional<double> power_limit_w) {
  GpuUseEvaluation evaluation;
  evaluation.total = EvaluateFrom(rows, 0, power_limit_w);
  size_t known = 0, started = 0;
  std::optional<size_t> start;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& percent = rows[i].gpu_util_percent;
    const bool busy = percent && *percent > kStartedPercent;
    if (busy && !start) start = i;
    if (i == 0 || !percent) continue;
    ++known;
    if (busy) ++started;
  }
  if (known > 0) {
    evaluation.gpu_start =
        Rate(100.0 * static_cast<double>(started) / static_cast<double>(known),
             kStartLimits);
  }
  if (start) {
    evaluation.after_start = EvaluateFrom(rows, *start, power_limit_w);
  }
  return evaluation;
}

}  // namespace carme::gpu
