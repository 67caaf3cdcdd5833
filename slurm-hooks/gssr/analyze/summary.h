// Numbers of a recording: distributions, score, ratings, energy, load balance.
// Pure.
#ifndef CARME_SLURM_HOOKS_GSSR_ANALYZE_SUMMARY_H_
#define CARME_SLURM_HOOKS_GSSR_ANALYZE_SUMMARY_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/gpu_saturation/evaluation.h"
#include "common/gpu_saturation/saturation.h"
#include "slurm-hooks/gssr/analyze/recordings.h"

namespace carme::gssr {

// The inputs of the score. A recording without the activity of any tensor pipe
// takes the sum of the kinds.
std::optional<gpu::SaturationInput> ScoreInput(const RecordedSample& sample);

struct Summary {
  std::string scope;  // job 7, rank 7.0/3, GPU 7.0/3/1
  std::map<std::string, gpu::Distribution> metrics{};
  std::optional<gpu::Distribution> score{};
  std::optional<gpu::Distribution> sm_active{};     // A
  std::optional<gpu::Distribution> sm_occupancy{};  // O
  std::optional<gpu::Distribution> flop_active{};   // F
  std::optional<double> energy_wh{};
};
struct JobSummary {
  Summary job;
  std::vector<Summary> ranks;
  std::vector<Summary> gpus;
  // Of the step that was first, as far as recorded.
  std::string label;
  std::string command;
  std::optional<absl::Time> started;
  std::set<std::string> hosts;
  std::vector<std::string> drivers;  // those recorded, each once
  // By step, as each has times of its own: 7.0.
  std::map<std::string, gpu::GpuUseEvaluation> evaluations;
  // The lowest mean GPU use of a GPU divided by the highest; 1 is balanced.
  std::optional<double> load_balance;
};

std::vector<JobSummary> Summarize(const Recordings& recordings);

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_ANALYZE_SUMMARY_H_
