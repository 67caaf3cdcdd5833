#include "backend/jobs/lifecycle/idle_policy.h"

#include <algorithm>

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

absl::Duration CountedIdle(const IdleState& state) {
  if (!state.unused) return absl::ZeroDuration();
  return std::max(absl::ZeroDuration(), *state.unused - state.kept);
}

void ResetIdleTimer(IdleState* state) {
  state->kept = state->unused.value_or(absl::ZeroDuration());
  state->warned.reset();
}

IdleTimes IdleTimesOf(const IdleTimes& site,
                      const std::optional<JobTemplate>& job_template) {
  if (!job_template || job_template->idle_warning <= absl::ZeroDuration()) {
    return site;
  }
  return {job_template->idle_warning, job_template->idle_stop};
}

bool IsJudgedByUse(const Job& job) {
  return job.state == v1::JOB_STATE_READY && !job.spec.batch &&
         job.spec.linked_to.empty() && job.spec.builds.empty();
}

}  // namespace carme::backend
