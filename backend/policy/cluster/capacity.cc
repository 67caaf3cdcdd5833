#include "backend/policy/cluster/capacity.h"

#include <algorithm>

namespace carme::backend {
namespace {

// `whole` × `part` / `of`; the numbers are below 2^31 and 2^53.
int64_t Portion(int64_t whole, int64_t part, int64_t of) {
  return std::max<int64_t>(1, whole / of * part + whole % of * part / of);
}

}  // namespace

std::vector<const SlurmNode*> NodesForJobs(const SlurmSnapshot& cluster,
                                           std::string_view partition) {
  std::vector<const SlurmNode*> nodes;
  for (const SlurmNode& node : cluster.nodes) {
    const auto& in = node.partitions;
    if (node.has_feature &&
        (partition.empty() ||
         std::find(in.begin(), in.end(), partition) != in.end())) {
      nodes.push_back(&node);
    }
  }
  return nodes;
}

int GpusOf(const SlurmNode& node, const std::string& type) {
  int count = 0;
  for (const auto& [name, number] : node.gpus) {
    if (type.empty() || name == type) count += number;
  }
  return count;
}

std::set<std::string> GpuTypesOf(const std::vector<const SlurmNode*>& nodes) {
  std::set<std::string> types;
  for (const SlurmNode* node : nodes) {
    for (const auto& [type, number] : node->gpus) {
      if (number > 0) types.insert(type);
    }
  }
  return types;
}

Share ShareOf(const JobSpec& spec, const std::vector<const SlurmNode*>& nodes) {
  Share smallest{.cpus = INT32_MAX, .memory_mib = INT64_MAX};
  const int64_t cpus_wanted = std::max(1, spec.cpus_per_node);
  bool found = false;
  for (const SlurmNode* node : nodes) {
    const int64_t gpus = GpusOf(*node, spec.gpu_type);
    int64_t cpus = cpus_wanted;
    int64_t memory = 0;
    if (spec.gpus_per_node > 0) {
      if (gpus < spec.gpus_per_node) continue;
      cpus = Portion(node->cpus, spec.gpus_per_node, gpus);
      memory = Portion(node->memory_mib, spec.gpus_per_node, gpus);
    } else {
      if (node->cpus < cpus_wanted) continue;
      memory = Portion(node->memory_mib, cpus_wanted, node->cpus);
    }
    found = true;
    smallest.cpus = static_cast<int>(std::min<int64_t>(smallest.cpus, cpus));
    smallest.memory_mib = std::min(smallest.memory_mib, memory);
  }
  return found ? smallest : Share{};
}

}  // namespace carme::backend
