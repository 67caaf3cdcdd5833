// The GPU saturation score: how much of a GPU a program uses, between 0 and 1.
// Pure functions.
//
//   S = 4 (σ(αA) − ½) (σ(βF + γO·exp(−λF)) − ½)
//
// The score is not monotone in F: with A = O = 1 it is 0.772 at F = 0 and 0.388
// at F = 0.177. Always show the components beside it.
#ifndef CARME_COMMON_GPU_SATURATION_SATURATION_H_
#define CARME_COMMON_GPU_SATURATION_SATURATION_H_

#include <optional>
#include <vector>

namespace carme::gpu {

// Ratios of one sample.
struct SaturationInput {
  double sm_active = 0;     // A, 0 to 1
  double flop_active = 0;   // F: FP16 + FP32 + FP64 + tensor; may exceed 1
  double sm_occupancy = 0;  // O, 0 to 1
};

// The activity of the pipes of one sample; absent: not measured.
struct PipeActivity {
  std::optional<double> sm_active;
  std::optional<double> sm_occupancy;
  std::optional<double> tensor;  // any kind
  std::optional<double> fp64;
  std::optional<double> fp32;
  std::optional<double> fp16;
};

// nullopt if one of the six was not measured: a missing pipe would lower F.
std::optional<SaturationInput> ToSaturationInput(const PipeActivity& activity);

// In [0, 1). Inputs below 0 count as 0, A and O above 1 as 1.
double Saturation(const SaturationInput& input);

struct Distribution {
  double mean = 0;
  double median = 0;
  double min = 0;
  double max = 0;
};

// nullopt if there are no values. Scores are aggregated after they are computed
// for each sample, because the score is not linear.
std::optional<Distribution> Aggregate(std::vector<double> values);

}  // namespace carme::gpu

#endif  // CARME_COMMON_GPU_SATURATION_SATURATION_H_
