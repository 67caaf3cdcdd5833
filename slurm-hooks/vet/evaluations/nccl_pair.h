// The evaluation `nccl` between two nodes: the part that one of them runs.
#ifndef CARME_SLURM_HOOKS_VET_EVALUATIONS_NCCL_PAIR_H_
#define CARME_SLURM_HOOKS_VET_EVALUATIONS_NCCL_PAIR_H_

#include <functional>
#include <string>
#include <string_view>

#include "slurm-hooks/vet/evaluations/evaluations.h"

namespace carme::vet {

inline constexpr size_t kNcclUniqueIdBytes = 128;

// The metric of EvaluateNccl with the number of GPUs: what the other node must
// know of this one.
inline constexpr std::string_view kGpusMetric = "gpus";

struct NcclPair {
  // Of the communicator. It lets a process join it, so it must not be logged.
  // Empty: this node creates it.
  std::string unique_id{};
  int ranks = 0;       // the GPUs of both nodes
  int first_rank = 0;  // of this node
  int gpus = 0;        // of this node
};

// Measures with all GPUs of this node and those of the other one, which must
// call it at the same time. Calls `on_unique_id` with the id if it created one.
// Blocks, and hangs if the other node does: call it in a process of its own.
// Metrics: bus_bytes_per_second, latency_s.
Outcome MeasureNcclPair(
    const Evaluation& evaluation, const NcclPair& pair,
    const std::function<void(const std::string& unique_id)>& on_unique_id);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_EVALUATIONS_NCCL_PAIR_H_
