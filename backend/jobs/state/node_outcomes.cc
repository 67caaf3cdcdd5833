#include "backend/jobs/state/node_outcomes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "backend/jobs/state/messages.h"
#include "backend/policy/spec/array.h"
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

// The tasks whose ends `now` has and `before` has not.
TaskSet NewlyEnded(const Job& before, const Job& now) {
  TaskSet ended;
  if (!now.array) return ended;
  for (const auto& [end, tasks] : now.array->ended) ended.Add(tasks);
  if (!before.array) return ended;
  for (const auto& [end, tasks] : before.array->ended) {
    ended = ended.Without(tasks);
  }
  return ended;
}

}  // namespace

std::vector<NodeEntry> NewNodeOutcomes(
    const Job& before, const Job& now,
    const std::vector<const SlurmJob*>& records, const SlurmSnapshot& cluster) {
  if (!IsArray(before)) {
    if (!HasEnded(now) || records.empty()) return {};
    return NodeOutcomesOf(before, *records[0], cluster);
  }
  const TaskSet ended = NewlyEnded(before, now);
  std::map<std::pair<std::string, std::string>, NodeEntry> by_node;
  for (const SlurmJob* const slurm : records) {
    if (ended.empty() || !slurm->task || !ended.Contains(*slurm->task)) {
      continue;
    }
    for (NodeEntry& entry : NodeOutcomesOf(before, *slurm, cluster)) {
      by_node.try_emplace({entry.node, entry.name}, std::move(entry));
    }
  }
  std::vector<NodeEntry> entries;
  for (auto& [key, entry] : by_node) entries.push_back(std::move(entry));
  return entries;
}

std::vector<NodeEntry> NodeOutcomesOf(const Job& job, const SlurmJob& slurm,
                                      const SlurmSnapshot& cluster) {
  const std::vector<std::string>& nodes =
      slurm.nodes.empty() ? job.nodes : slurm.nodes;
  switch (slurm.state) {
    case SlurmState::kNodeFail:
    case SlurmState::kBootFail:
      return EntriesOf(job, FailedNodes(nodes, cluster),
                       {.severity = v1::NODE_ENTRY_SEVERITY_ERROR,
                        .name = "node_fail",
                        .text = MakeText(job_state_messages::kNodeLostJob)});
    case SlurmState::kOutOfMemory:
      if (nodes.size() != 1) return {};
      return EntriesOf(job, nodes,
                       {.severity = v1::NODE_ENTRY_SEVERITY_WARNING,
                        .name = "out_of_memory",
                        .text = MakeText(job_state_messages::kJobOutOfMemory)});
    case SlurmState::kFailed:
      if (nodes.size() != 1 || slurm.exit_code <= kSignalBase) return {};
      return EntriesOf(
          job, nodes,
          {.severity = v1::NODE_ENTRY_SEVERITY_WARNING,
           .name = "signal",
           .text = MakeText(job_state_messages::kJobEndedBySignal,
                            {{"signal", slurm.exit_code - kSignalBase}})});
    default:
      return {};
  }
}

}  // namespace carme::backend
