#include "backend/jobs/activity/idle_policy.h"

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

IdleTimes IdleTimesOf(const GpuIdlePolicy& policy) {
  const bool acts = policy.action != v1::GpuIdlePolicy::ACTION_WARN_ONLY;
  return {policy.warn_after,
          acts ? policy.act_after - policy.warn_after : absl::ZeroDuration()};
}

bool IsJudgedByUse(const Job& job) {
  return job.state == v1::JOB_STATE_READY && !job.spec.batch &&
         job.spec.linked_to.empty() && job.spec.builds.empty();
}

}  // namespace carme::backend
