#include "backend/policy/cluster/shortage.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "backend/policy/cluster/capacity.h"
#include "backend/policy/cluster/messages.h"
#include "common/message.h"

namespace carme::backend {
namespace {

constexpr int64_t kMibPerGib = 1024;

// One kind of resource on all nodes that are up.
struct Supply {
  int64_t wanted = 0;  // on a node
  int64_t total = 0;
  int64_t free = 0;
  int64_t max_free = 0;  // on a node
  int nodes = 0;         // with enough of it

  void Add(int64_t has, int64_t used) {
    const int64_t left = std::max<int64_t>(0, has - used);
    total += has;
    free += left;
    max_free = std::max(max_free, left);
    nodes += left >= wanted ? 1 : 0;
  }
};

int64_t GpusUsed(const SlurmNode& node, const std::string& type) {
  int64_t used = 0;
  for (const auto& [name, number] : node.gpus_used) {
    if (type.empty() || name == type) used += number;
  }
  return used;
}

// The message for one free unit and that for another number of them.
struct SupplyMessages {
  const TextTemplate& one;
  const TextTemplate& other;
};

DisplayText SupplyText(const Supply& supply, const SupplyMessages& messages,
                       const std::string& gpu_type, int nodes) {
  DisplayText number = MakeText(
      supply.free == 1 ? messages.one : messages.other,
      {{"free", supply.free}, {"total", supply.total}, {"type", gpu_type}});
  if (supply.max_free == supply.free) return number;
  // The free resources may be spread over too many nodes.
  if (supply.wanted <= 1 && supply.free < nodes) return number;
  return MakeText(policy_cluster_messages::kFreeOnOneNode,
                  {{"supply", number}, {"max", supply.max_free}});
}

constexpr SupplyMessages kGpus{policy_cluster_messages::kOneGpuFree,
                               policy_cluster_messages::kGpusFree};
constexpr SupplyMessages kGpusOfType{policy_cluster_messages::kOneGpuOfTypeFree,
                                     policy_cluster_messages::kGpusOfTypeFree};
constexpr SupplyMessages kCpus{policy_cluster_messages::kOneCpuFree,
                               policy_cluster_messages::kCpusFree};
constexpr SupplyMessages kMemory{policy_cluster_messages::kOneGibFree,
                                 policy_cluster_messages::kGibFree};

}  // namespace

DisplayText Shortage(const JobSpec& spec, const SlurmSnapshot& cluster) {
  Supply gpus{.wanted = spec.gpus_per_node};
  Supply cpus{.wanted = spec.cpus_per_node};
  Supply memory{.wanted = spec.memory_per_node_mib};
  int all = 0, down = 0, fitting = 0;
  const std::set<std::string_view> excluded(spec.excluded_nodes.begin(),
                                            spec.excluded_nodes.end());
  for (const SlurmNode* node : NodesForJobs(cluster, spec.partition)) {
    if (excluded.contains(node->name)) continue;
    ++all;
    if (!node->up) {
      ++down;
      continue;
    }
    const int before = gpus.nodes + cpus.nodes + memory.nodes;
    gpus.Add(GpusOf(*node, spec.gpu_type), GpusUsed(*node, spec.gpu_type));
    cpus.Add(node->cpus, node->cpus_used);
    memory.Add(node->memory_mib, node->memory_used_mib);
    fitting += gpus.nodes + cpus.nodes + memory.nodes - before == 3 ? 1 : 0;
  }
  if (all == 0 || fitting >= spec.nodes) return "";
  DisplayText text;
  if (gpus.nodes < spec.nodes && spec.gpus_per_node > 0) {
    text = SupplyText(gpus, spec.gpu_type.empty() ? kGpus : kGpusOfType,
                      spec.gpu_type, spec.nodes);
  } else if (cpus.nodes < spec.nodes) {
    text = SupplyText(cpus, kCpus, "", spec.nodes);
  } else if (memory.nodes < spec.nodes) {
    memory.wanted /= kMibPerGib;
    memory.total /= kMibPerGib;
    memory.free /= kMibPerGib;
    memory.max_free /= kMibPerGib;
    text = SupplyText(memory, kMemory, "", spec.nodes);
  } else {
    text = fitting == 1 ? MakeText(policy_cluster_messages::kOneNodeFits)
                        : MakeText(policy_cluster_messages::kNodesFit,
                                   {{"nodes", fitting}});
  }
  if (down > 0) {
    const TextTemplate& message = down == 1
                                      ? policy_cluster_messages::kOneNodeDown
                                      : policy_cluster_messages::kNodesDown;
    text = MakeText(message, {{"supply", text}, {"down", down}, {"all", all}});
  }
  return text;
}

}  // namespace carme::backend
