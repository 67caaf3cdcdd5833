// When an idle job is warned about, and when it is stopped. Pure.
// A job is idle because it is not used, or because its GPUs are idle; both have
// a state of their own, as has each node that the job may return to Slurm
// (idle_nodes.h). Time is measured by the clock of the agent, or of
// carme-metrics, which report for how long the job has been idle. Only reports
// change the state, so neither a clock change nor a downtime of the backend
// stops a job.
#ifndef CARME_BACKEND_JOBS_ACTIVITY_IDLE_POLICY_H_
#define CARME_BACKEND_JOBS_ACTIVITY_IDLE_POLICY_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/policy/spec/gpu_idle_policy.h"
#include "backend/policy/spec/job_template.h"

namespace carme::backend {

struct IdleTimes {
  absl::Duration warning{};  // 0: no warning and no stop
  absl::Duration stop{};     // after the warning; 0: no stop
};

// The state of one job for one of the reasons, or of one of its nodes.
struct IdleState {
  std::optional<absl::Duration> unused{};  // as last reported
  absl::Duration kept{};  // part of `unused` that does not count
  std::optional<absl::Duration> warned{};  // counted idle time at the warning
  absl::Time warned_at{};                  // by the clock of the backend
  absl::Time reported_at{};                // of the last report
  std::optional<JobIdle> notice{};         // what is shown since the warning
};

// kStop: the job is stopped, or the node returned.
enum class IdleStep { kNone, kWarn, kStop };

// The step after a report; `unused`: since the last use.
IdleStep ApplyReport(const IdleTimes& times, absl::Duration unused,
                     IdleState* state);
// The same for a report of carme-metrics at `now`: the backend's clock must
// show, too, that the warning was long enough ago.
IdleStep ApplyGpuReport(const IdleTimes& times, absl::Duration idle,
                        absl::Time now, IdleState* state);
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

IdleTimes IdleTimesOf(const GpuIdlePolicy& policy);

// The use of a job is not known after this time without a report. Agents report
// at least every ten minutes (interval_s of agent.toml).
inline constexpr absl::Duration kUseUnseen = absl::Minutes(25);
// The same for GPUs. carme-metrics reports every 30 s.
inline constexpr absl::Duration kGpuUseUnseen = absl::Minutes(5);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_ACTIVITY_IDLE_POLICY_H_
