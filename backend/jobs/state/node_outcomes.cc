#include "backend/jobs/state/node_outcomes.h"

#include <algorithm>
#include <string>

#include "backend/jobs/state/messages.h"
#include "common/message.h"

namespace carme::backend {
namespace {

constexpr int kSignalBase = 128;  // exit codes of programs that a signal ended

bool IsUp(const SlurmSnapshot& cluster, const std::string& name) {
  return std::any_of(
      cluster.nodes.begin(), cluster.nodes.end(),
      [&](const SlurmNode& node) { return node.name == name && node.up; });
}

std::vector<std::string> FailedNodes(const std::vector<std::string>& nodes,
                                     const SlurmSnapshot& cluster) {
  std::vector<std::string> failed;
  for (const std::string& node : nodes) {
    if (!IsUp(cluster, node)) failed.push_back(node);
  }
  return failed.empty() ? nodes : failed;
}

std::vector<NodeEntry> EntriesOf(const Job& job,
                                 const std::vector<std::string>& nodes,
                                 const NodeEntry& like) {
  std::vector<NodeEntry> entries;
  for (const std::string& node : nodes) {
    NodeEntry entry = like;
    entry.node = node;
    entry.source = v1::NODE_ENTRY_SOURCE_JOB_END;
    entry.run = job.id.value();
    entry.job_id = job.id.value();
    entry.slurm_job_id = job.slurm_id.value();
    entry.user = job.owner;
    entries.push_back(entry);
  }
  return entries;
}

}  // namespace

std::vector<NodeEntry> NodeOutcomesOf(const Job& job, const SlurmJob& slurm,
                                      const SlurmSnapshot& cluster) {
  if (IsArray(job)) return {};
  const std::vector<std::string>& nodes =
      slurm.nodes.empty() ? job.nodes : slurm.nodes;
  switch (slurm.state) {
    case SlurmState::kNodeFail:
    case SlurmState::kBootFail:
      return EntriesOf(
          job, FailedNodes(nodes, cluster),
          {.severity = v1::NODE_ENTRY_SEVERITY_ERROR,
           .name = "node_fail",
           .text = FormatMessage(job_state_messages::kNodeLostJob)});
    case SlurmState::kOutOfMemory:
      if (nodes.size() != 1) return {};
      return EntriesOf(
          job, nodes,
          {.severity = v1::NODE_ENTRY_SEVERITY_WARNING,
           .name = "out_of_memory",
           .text = FormatMessage(job_state_messages::kJobOutOfMemory)});
    case SlurmState::kFailed:
      if (nodes.size() != 1 || slurm.exit_code <= kSignalBase) return {};
      return EntriesOf(
          job, nodes,
          {.severity = v1::NODE_ENTRY_SEVERITY_WARNING,
           .name = "signal",
           .text = FormatMessage(job_state_messages::kJobEndedBySignal,
                                 {{"signal", slurm.exit_code - kSignalBase}})});
    default:
      return {};
  }
}

}  // namespace carme::backend
