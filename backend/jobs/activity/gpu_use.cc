#include "backend/jobs/activity/gpu_use.h"

#include <algorithm>

namespace carme::backend {

int64_t CountGpus(const Job& job) {
  // Each task of an array has its nodes; two tasks may share one.
  const int64_t nodes = job.array
                            ? job.array->running * std::max(job.spec.nodes, 1)
                            : static_cast<int64_t>(job.nodes.size());
  return nodes * std::max(job.spec.gpus_per_node, 0);
}

std::optional<IdleGpus> IdleGpusOf(const Job& job, const MeasuredGpus& measured,
                                   absl::Time now) {
  if (!job.started_at || job.nodes.empty()) return std::nullopt;
  // An earlier run may have had the same GPUs.
  IdleGpus all{.idle = std::max(absl::ZeroDuration(), now - *job.started_at)};
  std::map<std::string, int64_t> count_by_node;
  for (const std::string& node : job.nodes) count_by_node[node] = 0;
  for (const auto& [gpu, idle_for] : measured.idle_for) {
    const auto node = count_by_node.find(gpu.node);
    if (node == count_by_node.end()) continue;
    ++node->second;
    all.idle = std::min(all.idle, std::max(absl::ZeroDuration(), idle_for));
    all.gpus.push_back(gpu);
  }
  const auto found = static_cast<int64_t>(all.gpus.size());
  if (found == 0 || found < CountGpus(job)) return std::nullopt;
  if (job.array) return all;
  for (const auto& [node, count] : count_by_node) {
    if (count < job.spec.gpus_per_node) return std::nullopt;
  }
  return all;
}

std::map<std::string, IdleGpus> IdleGpusByNode(const Job& job,
                                               const MeasuredGpus& measured,
                                               absl::Time now) {
  // An earlier run may have had the same GPUs.
  const absl::Duration longest =
      std::max(absl::ZeroDuration(), now - job.started_at.value_or(now));
  std::map<std::string, IdleGpus> nodes;
  for (const std::string& node : job.nodes) nodes[node].idle = longest;
  for (const auto& [gpu, idle_for] : measured.idle_for) {
    const auto node = nodes.find(gpu.node);
    if (node == nodes.end()) continue;
    IdleGpus& idle = node->second;
    idle.idle = std::min(idle.idle, std::max(absl::ZeroDuration(), idle_for));
    idle.gpus.push_back(gpu);
  }
  const auto expected =
      static_cast<size_t>(std::max(job.spec.gpus_per_node, 1));
  for (auto& [node, idle] : nodes) {
    if (idle.gpus.size() < expected) idle.idle = absl::ZeroDuration();
  }
  return nodes;
}

bool IsJudgedByGpus(const Job& job) {
  if (job.state != v1::JOB_STATE_READY || job.spec.gpus_per_node <= 0 ||
      !job.spec.builds.empty()) {
    return false;
  }
  return std::none_of(job.apps.begin(), job.apps.end(), [](const JobApp& app) {
    return !IsApp(app.id) && app.state == v1::JOB_APP_STATE_STARTING;
  });
}

}  // namespace carme::backend
