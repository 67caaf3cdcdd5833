// The bandwidth between GPUs by NCCL, or RCCL of AMD: those of a node, and
// those of two nodes.
#include <numeric>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "slurm-hooks/vet/config/quantity.h"
#include "slurm-hooks/vet/evaluations/messages.h"
#include "slurm-hooks/vet/evaluations/nccl_collective.h"
#include "slurm-hooks/vet/evaluations/nccl_pair.h"

namespace carme::vet {
namespace {

std::vector<int> AllOf(int gpus) {
  std::vector<int> all(static_cast<size_t>(gpus));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::vector<int>> GroupsOf(int gpus, bool in_pairs) {
  if (!in_pairs) return {AllOf(gpus)};
  std::vector<std::vector<int>> groups;
  for (int a = 0; a < gpus; ++a) {
    for (int b = a + 1; b < gpus; ++b) groups.push_back({a, b});
  }
  return groups;
}

// What needs no other node but may fail: a pair would be named by both ends.
bool Prepare(const CudaDriver& cuda, const Nccl& nccl, int gpus,
             const CollectiveSize& size, Outcome* outcome) {
  NcclCollective collective(cuda, nccl, size, outcome);
  std::string unused_id;
  return collective.Open(AllOf(gpus)) && collective.CreateUniqueId(&unused_id);
}

Outcome MeasureWithinNode(const CudaDriver& cuda, const Nccl& nccl, int gpus,
                          const Parameters& parameters) {
  Outcome outcome;
  const CollectiveSize size = CollectiveSize::From(parameters);
  const auto min = parameters.Number("min_bandwidth");
  const bool in_pairs = parameters.Text("method") == kRoundRobin;
  std::optional<double> worst;
  for (const auto& devices : GroupsOf(gpus, in_pairs)) {
    NcclCollective collective(cuda, nccl, size, &outcome);
    if (!collective.Open(devices) || !collective.ConnectDevices()) {
      return outcome;
    }
    const double bandwidth = collective.MeasureBandwidth();
    if (bandwidth < 0 || !collective.Close()) return outcome;
    if (worst.has_value() && bandwidth >= *worst) continue;
    worst = bandwidth;
    if (!min.has_value() || bandwidth > *min) continue;
    outcome = Outcome::Failed(FormatMessage(
        evaluation_messages::kTooLittle,
        {{"subject", devices.size() == 2
                         ? absl::StrCat("the bandwidth between GPU ",
                                        devices[0], " and GPU ", devices[1])
                         : "the bandwidth between the GPUs"},
         {"found", FormatBytes(bandwidth) + "/s"},
         {"expected", FormatBytes(*min) + "/s"}}));
  }
  if (worst.has_value()) outcome.metrics["bus_bytes_per_second"] = *worst;
  return outcome;
}

}  // namespace

Outcome EvaluateNccl(const Evaluation& evaluation) {
  const Parameters& parameters = evaluation.parameters;
  CudaDriver cuda;
  Outcome outcome;
  int gpus = 0;
  if (!cuda.Open(evaluation, &gpus, &outcome)) return outcome;
  const Nccl nccl;
  if (!nccl.library.status().ok()) {
    return Outcome::Error(std::string(nccl.library.status().message()));
  }
  const std::string method = parameters.Text("method", kAllReduce);
  if (method != kAllReduce && method != kBroadcast && method != kRoundRobin) {
    return Outcome::Error(
        FormatMessage(evaluation_messages::kNcclMethod, {{"method", method}}));
  }
  const bool is_between_nodes = IsMeasuredBetweenNodes(evaluation);
  if (IsMeasuredWithinNode(evaluation) && gpus > 1) {
    outcome = MeasureWithinNode(cuda, nccl, gpus, parameters);
  } else if (!is_between_nodes) {
    return Outcome::Skipped(FormatMessage(evaluation_messages::kOneGpu));
  }
  if (outcome.kind == Outcome::Kind::kPassed && is_between_nodes &&
      !Prepare(cuda, nccl, gpus, CollectiveSize::From(parameters), &outcome)) {
    return outcome;
  }
  outcome.metrics[std::string(kGpusMetric)] = gpus;
  return outcome;
}

Outcome MeasureNcclPair(
    const Evaluation& evaluation, const NcclPair& pair,
    const std::function<void(const std::string& unique_id)>& on_unique_id) {
  Outcome outcome;
  if (!pair.unique_id.empty() && pair.unique_id.size() != kNcclUniqueIdBytes) {
    return Outcome::Failed(FormatMessage(evaluation_messages::kNcclId));
  }
  CudaDriver cuda;
  int gpus = 0;
  if (!cuda.Open(evaluation, &gpus, &outcome)) return outcome;
  if (gpus != pair.gpus) {
    return Outcome::Failed(FormatMessage(evaluation_messages::kNotEqual,
                                         {{"subject", "the number of GPUs"},
                                          {"found", gpus},
                                          {"expected", pair.gpus}}));
  }
  const Nccl nccl;
  if (!nccl.library.status().ok()) {
    return Outcome::Error(std::string(nccl.library.status().message()));
  }
  NcclCollective collective(
      cuda, nccl, CollectiveSize::From(evaluation.parameters), &outcome);
  std::string unique_id = pair.unique_id;
  if (!collective.Open(AllOf(gpus))) return outcome;
  if (unique_id.empty()) {
    if (!collective.CreateUniqueId(&unique_id)) return outcome;
    on_unique_id(unique_id);
  }
  if (!collective.ConnectRanks(unique_id, pair.ranks, pair.first_rank)) {
    return outcome;
  }
  const double bandwidth = collective.MeasureBandwidth();
  if (bandwidth < 0) return outcome;
  const double latency_s = collective.MeasureLatency();
  // The other node may still receive: without it, its end would break.
  if (latency_s < 0 || !collective.Close()) return outcome;
  outcome.metrics = {{"bus_bytes_per_second", bandwidth},
                     {"latency_s", latency_s}};
  return outcome;
}

}  // namespace carme::vet
