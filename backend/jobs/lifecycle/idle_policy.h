// When an idle job is warned about, and when it is stopped. Pure.
// Time is measured by the clock of the agent, which reports for how long the
// job has not been used. Only reports change the state, so neither a clock
// change nor a downtime of the backend stops a job.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_IDLE_POLICY_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_IDLE_POLICY_H_

#include <optional>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/policy/spec/job_template.h"

namespace carme::backend {

struct IdleTimes {
  absl::Duration warning{};  // 0: no warning and no stop
  absl::Duration stop{};     // after the warning; 0: no stop
};

// The state of one job.
struct IdleState {
  std::optional<absl::Duration> unused{};  // as last reported by the agent
  absl::Duration kept{};  // part of `unused` that does not count
  std::optional<absl::Duration> warned{};  // counted idle time at the warning
  absl::Time reported_at{};                // of the last report
};

enum class IdleStep { kNone, kWarn, kStop };

// The step after a report; `unused`: since the last use.
IdleStep ApplyReport(const IdleTimes& times, absl::Duration unused,
                     IdleState* state);
// The idle time that counts.
absl::Duration CountedIdle(const IdleState& state);
// Restarts the idle time at zero.
void ResetIdleTimer(IdleState* state);

// The times of the template, if it sets any.
IdleTimes IdleTimesOf(const IdleTimes& site,
                      const std::optional<JobTemplate>& job_template);

// Whether the job is a running interactive job: not a batch job, not a linked
// job, not the build of an image.
bool IsJudgedByUse(const Job& job);

// The use of a job is not known after this time without a report. Agents report
// at least every ten minutes (interval_s of agent.toml).
inline constexpr absl::Duration kUseUnseen = absl::Minutes(25);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_IDLE_POLICY_H_
