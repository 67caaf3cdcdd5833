#include "backend/jobs/activity/idle_nodes.h"

#include <algorithm>

#include "backend/jobs/model/linked_jobs.h"

namespace carme::backend {
namespace {

void Add(const std::string& node, const IdleGpus& idle, absl::Duration counted,
         IdleNodeGroup* group) {
  group->idle = group->nodes.empty() ? counted : std::min(group->idle, counted);
  group->nodes.push_back(node);
  group->gpus.insert(group->gpus.end(), idle.gpus.begin(), idle.gpus.end());
}

absl::Time StopOf(const std::optional<JobIdle>& notice) {
  return notice->stops_at.value_or(absl::InfiniteFuture());
}

}  // namespace

bool MayReturnNodes(const Job& job) {
  return !job.array && !IsLinkedJob(job) && job.nodes.size() > 1;
}

IdleNodeSteps ApplyNodeReport(const Job& job, const IdleTimes& times,
                              const std::map<std::string, IdleGpus>& report,
                              absl::Time now, IdleNodes* nodes) {
  const auto may_leave = [&](const std::string& node) {
    return node != job.nodes.front() && report.contains(node);
  };
  std::erase_if(*nodes, [&](const auto& row) { return !may_leave(row.first); });
  IdleNodeSteps steps;
  for (const auto& [node, idle] : report) {
    if (!may_leave(node)) continue;
    IdleState& state = (*nodes)[node];
    state.reported_at = now;
    const IdleStep step = ApplyGpuReport(times, idle.idle, now, &state);
    const absl::Duration counted = CountedIdle(state);
    if (!state.warned) state.notice.reset();
    if (step == IdleStep::kWarn) {
      state.notice = JobIdle{.since = now - counted,
                             .stops_at = now + times.stop,
                             .gpus = idle.gpus,
                             .returns_nodes = true};
      Add(node, idle, counted, &steps.warned);
    }
    if (step == IdleStep::kStop) Add(node, idle, counted, &steps.returned);
  }
  return steps;
}

std::optional<JobIdle> NoticeOf(const IdleNodes& nodes) {
  std::optional<JobIdle> first;
  for (const auto& [node, state] : nodes) {
    if (!state.notice) continue;
    if (!first || StopOf(state.notice) < StopOf(first)) {
      first = state.notice;
    } else if (StopOf(state.notice) == StopOf(first)) {
      first->since = std::min(first->since, state.notice->since);
      first->gpus.insert(first->gpus.end(), state.notice->gpus.begin(),
                         state.notice->gpus.end());
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
