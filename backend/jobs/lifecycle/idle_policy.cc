#include "backend/jobs/lifecycle/idle_policy.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace carme::backend {

IdleStep ApplyReport(const IdleTimes& times, absl::Duration unused,
                     IdleState* state) {
  if (state->unused && unused < *state->unused) {
    state->kept = absl::ZeroDuration();
    state->warned.reset();
  }
  state->unused = unused;
  const absl::Duration idle = CountedIdle(*state);
  if (times.warning <= absl::ZeroDuration() || idle < times.warning) {
    state->warned.reset();
    return IdleStep::kNone;
  }
  if (!state->warned) {
    state->warned = idle;
    return IdleStep::kWarn;
  }
  const bool over =
      times.stop > absl::ZeroDuration() && idle >= *state->warned + times.stop;
  return over ? IdleStep::kStop : IdleStep::kNone;
}

IdleStep ApplyGpuReport(const IdleTimes& times, absl::Duration idle,
                        absl::Time now, IdleState* state) {
  const IdleStep step = ApplyReport(times, idle, state);
  if (step == IdleStep::kWarn) state->warned_at = now;
  if (step == IdleStep::kStop && now - state->warned_at < times.stop) {
    return IdleStep::kNone;
  }
  return step;
}

absl::Duration CountedIdle(const IdleState& state) {
  if (!state.unused) return absl::ZeroDuration();
  return std::max(absl::ZeroDuration(), *state.unused - state.kept);
}

void ResetIdleTimer(IdleState* state) {
  state->kept = state->unused.value_or(absl::ZeroDuration());
  state->warned.reset();
  state->notice.reset();
}

IdleTimes IdleTimesOf(const IdleTimes& site,
                      const std::optional<JobTemplate>& job_template) {
  if (!job_template || job_template->idle_warning <= absl::ZeroDuration()) {
    return site;
  }
  return {job_template->idle_warning, job_template->idle_stop};
}

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

IdleTimes IdleTimesOf(const GpuIdlePolicy& policy) {
  const bool stops = policy.action == v1::GpuIdlePolicy::ACTION_STOP;
  return {policy.warn_after,
          stops ? policy.act_after - policy.warn_after : absl::ZeroDuration()};
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

std::optional<JobIdle> FirstNotice(const IdleState& use,
                                   const IdleState& gpus) {
  if (!use.notice || !gpus.notice) {
    return use.notice ? use.notice : gpus.notice;
  }
  const auto stops_at = [](const JobIdle& notice) {
    return notice.stops_at.value_or(absl::InfiniteFuture());
  };
  return stops_at(*gpus.notice) < stops_at(*use.notice) ? gpus.notice
                                                        : use.notice;
}

bool IsJudgedByUse(const Job& job) {
  return job.state == v1::JOB_STATE_READY && !job.spec.batch &&
         job.spec.linked_to.empty() && job.spec.builds.empty();
}

}  // namespace carme::backend
