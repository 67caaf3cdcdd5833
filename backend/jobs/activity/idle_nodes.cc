#include "backend/jobs/activity/idle_nodes.h"

#include <algorithm>

#include "backend/jobs/model/linked_jobs.h"

namespace carme::backend {
namespace {

constexpr int kMaxRequests = 5;

void Add(const std::string& node, const std::vector<JobGpu>& gpus,
         const IdleState& state, IdleNodeGroup* group) {
  const absl::Duration counted = CountedIdle(state);
  group->idle = group->nodes.empty() ? counted : std::min(group->idle, counted);
  group->nodes.emplace(node, state.warned_at);
  group->gpus.insert(group->gpus.end(), gpus.begin(), gpus.end());
}

absl::Time StopOf(const std::optional<JobIdle>& notice) {
  return notice->stops_at.value_or(absl::InfiniteFuture());
}

void Withdraw(IdleState* state) {
  state->warned.reset();
  state->notice.reset();
}

}  // namespace

bool MayReturnNodes(const Job& job) {
  return !job.array && !IsLinkedJob(job) && job.nodes.size() > 1;
}

IdleNodeSteps ApplyNodeReport(const Job& job, const IdleTimes& times,
                              const IdleNodeReport& report, absl::Time now,
                              IdleNodes* nodes) {
  IdleNodeSteps steps;
  for (auto row = nodes->begin(); row != nodes->end();) {
    const auto& [node, idle] = *row;
    const bool has_left = !report.gpus.contains(node);
    if (has_left && idle.requests > 0 && idle.state.notice) {
      Add(node, idle.state.notice->gpus, idle.state, &steps.returned);
    }
    const bool stays = !has_left && report.returnable.contains(node);
    row = stays ? std::next(row) : nodes->erase(row);
  }
  for (const auto& [node, gpus] : report.gpus) {
    if (node == job.nodes.front() || !report.returnable.contains(node)) {
      continue;
    }
    IdleNode& idle = (*nodes)[node];
    IdleState& state = idle.state;
    state.reported_at = now;
    if (idle.refused && state.unused && gpus.idle >= *state.unused) {
      state.unused = gpus.idle;
      continue;
    }
    const IdleStep step = ApplyGpuReport(times, gpus.idle, now, &state);
    if (!state.warned) idle = {.state = state};
    if (!state.warned) state.notice.reset();
    if (step == IdleStep::kWarn && report.is_job_warned) {
      Withdraw(&state);
    } else if (step == IdleStep::kWarn) {
      state.notice = JobIdle{.since = now - CountedIdle(state),
                             .stops_at = now + times.stop,
                             .gpus = gpus.gpus,
                             .returns_nodes = true};
      Add(node, gpus.gpus, state, &steps.warned);
    }
    if (step == IdleStep::kStop) Add(node, gpus.gpus, state, &steps.due);
  }
  return steps;
}

void NoteRequested(const IdleNodeGroup& group, bool accepted,
                   IdleNodes* nodes) {
  for (const auto& [node, warned_at] : group.nodes) {
    const auto found = nodes->find(node);
    if (found == nodes->end()) continue;
    IdleNode& idle = found->second;
    idle.accepted = accepted;
    if (++idle.requests <= kMaxRequests) continue;
    idle.refused = true;
    Withdraw(&idle.state);
  }
}

void NoteRefused(const IdleNodeGroup& group, IdleNodes* nodes) {
  for (const auto& [node, warned_at] : group.nodes) {
    const auto found = nodes->find(node);
    if (found == nodes->end()) continue;
    found->second.refused = true;
    Withdraw(&found->second.state);
  }
}

std::optional<JobIdle> NoticeOf(const IdleNodes& nodes) {
  std::optional<JobIdle> first;
  for (const auto& [node, idle] : nodes) {
    const std::optional<JobIdle>& notice = idle.state.notice;
    if (!notice || idle.accepted) continue;  // or its return is under way
    if (!first || StopOf(notice) < StopOf(first)) {
      first = notice;
    } else if (StopOf(notice) == StopOf(first)) {
      first->since = std::min(first->since, notice->since);
      first->gpus.insert(first->gpus.end(), notice->gpus.begin(),
                         notice->gpus.end());
    }
  }
  return first;
}

std::optional<JobIdle> FirstNotice(const IdleState& use, const IdleState& gpus,
                                   const IdleNodes& nodes) {
  std::optional<JobIdle> first;
  // Of those at the same time, the stop of the job.
  for (const std::optional<JobIdle>& notice :
       {use.notice, gpus.notice, NoticeOf(nodes)}) {
    if (!notice) continue;
    if (!first || StopOf(notice) < StopOf(first)) first = notice;
  }
  return first;
}

}  // namespace carme::backend
