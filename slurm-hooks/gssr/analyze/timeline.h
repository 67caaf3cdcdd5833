// The course of a step: at each time the quantiles over its GPUs. Pure.
#ifndef CARME_SLURM_HOOKS_GSSR_ANALYZE_TIMELINE_H_
#define CARME_SLURM_HOOKS_GSSR_ANALYZE_TIMELINE_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "slurm-hooks/gssr/analyze/recordings.h"

namespace carme::gssr {

struct QuantilePoint {
  double time_s = 0;
  double q10 = 0;
  double q50 = 0;
  double q90 = 0;
};

struct StepTimeline {
  std::string job_id;
  std::string step_id;
  size_t gpus = 0;
  // By metric, in order of time; times without a value are absent.
  std::map<std::string, std::vector<QuantilePoint>> metrics;
};

// `max_points`: of a metric; adjacent times become one, which has the lowest
// q10, the mean q50 and the highest q90.
std::vector<StepTimeline> Timelines(const Recordings& recordings,
                                    size_t max_points);

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_ANALYZE_TIMELINE_H_
