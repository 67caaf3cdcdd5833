#include "backend/history/free_gpus.h"

#include <algorithm>
#include <map>
#include <utility>

#include "backend/slurm/cluster_detail.h"

namespace carme::backend {
namespace {

std::map<std::string, FreeGpus> FreeNow(const SlurmSnapshot& cluster) {
  std::map<std::string, FreeGpus> types;
  for (const SlurmNode& node : cluster.nodes) {
    for (const auto& [type, count] : node.gpus) {
      FreeGpus& gpus = types[type];
      gpus.type = type;
      if (!node.up) continue;
      const auto used = node.gpus_used.find(type);
      const int taken = used == node.gpus_used.end() ? 0 : used->second;
      gpus.total += count;
      gpus.free += std::max(0, count - taken);
    }
  }
  return types;
}

}  // namespace

std::vector<FreeGpus> FreeGpusOver(const SlurmSnapshot& cluster, absl::Time now,
                                   int max_steps) {
  std::map<std::string, FreeGpus> types = FreeNow(cluster);
  if (cluster.detail != nullptr) {
    for (const GpuRelease& release : cluster.detail->releases) {
      if (release.at == absl::InfiniteFuture()) break;  // sorted by time
      const auto found = types.find(release.type);
      if (found == types.end()) continue;
      FreeGpus& gpus = found->second;
      const int before =
          gpus.steps.empty() ? gpus.free : gpus.steps.back().free;
      const int after = std::min(gpus.total, before + release.count);
      const absl::Time at = std::max(release.at, now);
      if (after == before) continue;
      if (!gpus.steps.empty() && gpus.steps.back().at == at) {
        gpus.steps.back().free = after;
      } else if (gpus.steps.size() < static_cast<size_t>(max_steps)) {
        gpus.steps.push_back({at, after});
      }
    }
  }
  std::vector<FreeGpus> result;
  for (auto& [type, gpus] : types) result.push_back(std::move(gpus));
  return result;
}

}  // namespace carme::backend
