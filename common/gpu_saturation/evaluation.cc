#include "common/gpu_saturation/evaluation.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

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

std::optional<double> Mean(const Rows& rows, double from_s,
                           std::optional<double> EvaluationRow::*column) {
  double sum = 0;
  size_t count = 0;
  for (const EvaluationRow& row : rows) {
    const std::optional<double>& value = row.*column;
    if (row.time_s < from_s || !value) continue;
    sum += *value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

EvaluationPart EvaluateFrom(const Rows& rows, double from_s,
                            std::optional<double> power_limit_w) {
  EvaluationPart part;
  if (const auto mean = Mean(rows, from_s, &EvaluationRow::gpu_util_percent)) {
    part.gpu_util = Rate(*mean, kUtilLimits);
  }
  if (const auto mean = Mean(rows, from_s, &EvaluationRow::compute_activity)) {
    part.compute = Rate(*mean, kComputeLimits);
  }
  const auto power = Mean(rows, from_s, &EvaluationRow::power_w);
  if (power && power_limit_w && *power_limit_w > 0) {
    const double scale = *power_limit_w / kPublishedBoardW;
    part.power =
        Rate(*power, {kPowerLimits.poor * scale, kPowerLimits.improve * scale,
                      kPowerLimits.acceptable * scale});
  }
  return part;
}

struct GpuUse {
  bool is_known = false;
  // Of the first time whose mean use exceeds 50 %.
  std::optional<double> start_s;
};

GpuUse FindStart(const Rows& rows) {
  std::map<double, std::pair<double, size_t>> times;  // sum and count
  for (const EvaluationRow& row : rows) {
    if (!row.gpu_util_percent) continue;
    auto& [sum, count] = times[row.time_s];
    sum += *row.gpu_util_percent;
    ++count;
  }
  GpuUse use{.is_known = !times.empty(), .start_s = {}};
  for (const auto& [time_s, of_time] : times) {
    const auto& [sum, count] = of_time;
    if (sum / static_cast<double>(count) <= kStartedPercent) continue;
    use.start_s = time_s;
    break;
  }
  return use;
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
  constexpr double kAll = std::numeric_limits<double>::lowest();
  evaluation.total = EvaluateFrom(rows, kAll, power_limit_w);
  const GpuUse use = FindStart(rows);
  if (!use.is_known) return evaluation;
  const auto [first, last] = std::minmax_element(
      rows.begin(), rows.end(),
      [](const auto& a, const auto& b) { return a.time_s < b.time_s; });
  if (last->time_s > first->time_s) {
    const double remaining_s = use.start_s ? last->time_s - *use.start_s : 0;
    evaluation.gpu_start =
        Rate(100 * remaining_s / (last->time_s - first->time_s), kStartLimits);
  }
  if (use.start_s) {
    evaluation.after_start = EvaluateFrom(rows, *use.start_s, power_limit_w);
  }
  return evaluation;
}

}  // namespace carme::gpu
