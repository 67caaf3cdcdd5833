#include "backend/policy/cluster/size.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/policy/cluster/capacity.h"
#include "backend/policy/cluster/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"

namespace carme::backend {
namespace {

struct Demand {
  const char* field;
  const TextTemplate& too_large;
  int64_t wanted;
  int64_t max = 0;  // of one node
};

Violation TooLarge(const JobSpec& spec, const Demand& need) {
  return {Refusal::kImpossible,
          need.field,
          "largest_node",
          absl::StrCat(need.max),
          PartitionLimitSource(spec.partition),
          MakeText(need.too_large, {{"wanted", need.wanted},
                                    {"type", spec.gpu_type},
                                    {"partition", spec.partition},
                                    {"max", need.max}})};
}

bool Fits(const JobSpec& spec, const SlurmNode& node) {
  return GpusOf(node, spec.gpu_type) >= spec.gpus_per_node &&
         node.cpus >= spec.cpus_per_node &&
         node.memory_mib >= spec.memory_per_node_mib;
}

}  // namespace

std::vector<Violation> CheckSize(const JobSpec& spec,
                                 const std::vector<const SlurmNode*>& nodes) {
  Demand needs[] = {
      {"gpusPerNode",
       spec.gpu_type.empty() ? policy_cluster_messages::kTooManyGpus
                             : policy_cluster_messages::kTooManyGpusOfType,
       spec.gpus_per_node},
      {"cpusPerNode", policy_cluster_messages::kTooManyCpus,
       spec.cpus_per_node},
      {"memoryPerNodeMib", policy_cluster_messages::kTooMuchMemory,
       spec.memory_per_node_mib}};
  for (const SlurmNode* node : nodes) {
    needs[0].max =
        std::max<int64_t>(needs[0].max, GpusOf(*node, spec.gpu_type));
    needs[1].max = std::max<int64_t>(needs[1].max, node->cpus);
    needs[2].max = std::max(needs[2].max, node->memory_mib);
  }
  std::vector<Violation> violations;
  for (const Demand& need : needs) {
    if (need.wanted > need.max) violations.push_back(TooLarge(spec, need));
  }
  if (!violations.empty()) return violations;
  const int64_t fitting =
      std::count_if(nodes.begin(), nodes.end(),
                    [&](const SlurmNode* node) { return Fits(spec, *node); });
  if (spec.nodes > fitting) {
    violations.push_back({Refusal::kImpossible, "nodes", "nodes",
                          absl::StrCat(fitting),
                          PartitionLimitSource(spec.partition),
                          MakeText(policy_cluster_messages::kTooFewNodesOfSize,
                                   {{"nodes", spec.nodes},
                                    {"partition", spec.partition},
                                    {"fitting", fitting}})});
  }
  return violations;
}

}  // namespace carme::backend
