#include "common/gpu_saturation/saturation.h"

#include <algorithm>
#include <cmath>

namespace carme::gpu {
namespace {

// Of the published fit.
constexpr double kAlpha = 24.021653821773356;
constexpr double kBeta = 3.093540559022677;
constexpr double kGamma = 2.0510278298480444;
constexpr double kLambda = 11.44627875155378;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The largest double below 1: rounding must not reach 1.
const double kBelowOne = std::nextafter(1.0, 0.0);

}  // namespace

std::optional<SaturationInput> ToSaturationInput(const PipeActivity& activity) {
  if (!activity.sm_active || !activity.sm_occupancy || !activity.tensor ||
      !activity.fp64 || !activity.fp32 || !activity.fp16) {
    return std::nullopt;
  }
  return SaturationInput{.sm_active = *activity.sm_active,
                         .flop_active = *activity.fp16 + *activity.fp32 +
                                        *activity.fp64 + *activity.tensor,
                         .sm_occupancy = *activity.sm_occupancy};
}

double Saturation(const SaturationInput& input) {
  const double a = std::clamp(input.sm_active, 0.0, 1.0);
  const double f = std::max(input.flop_active, 0.0);
  const double o = std::clamp(input.sm_occupancy, 0.0, 1.0);
  const double score =
      4 * (Sigmoid(kAlpha * a) - 0.5) *
      (Sigmoid(kBeta * f + kGamma * o * std::exp(-kLambda * f)) - 0.5);
  return std::clamp(score, 0.0, kBelowOne);
}

std::optional<Distribution> Aggregate(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  const size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1
                            ? values[half]
                            : (values[half - 1] + values[half]) / 2;
  return Distribution{.mean = sum / static_cast<double>(values.size()),
                      .median = median,
                      .min = values.front(),
                      .max = values.back()};
}

}  // namespace carme::gpu
