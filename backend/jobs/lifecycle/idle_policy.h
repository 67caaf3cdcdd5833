// When a job that nobody uses is warned about, and then stopped: pure.
//
// All is counted by the clock of its agent, which says at each report for how
// long the job has not been used, and only when a report comes: a clock of ours
// that jumps, or a backend that was away, stops nothing.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_IDLE_POLICY_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_IDLE_POLICY_H_

#include <optional>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/policy/spec/job_template.h"

namespace carme::backend {

struct IdleTimes {
  absl::Duration warning{};  // 0: nobody is warned, and nothing stopped
  absl::Duration stop{};     // after the warning; 0: nothing is stopped
};

// What is known of one job.
struct IdleState {
  std::optional<absl::Duration> unused{};  // as its agent last said
  absl::Duration kept{};                   // of that: it does not count
  std::optional<absl::Duration> warned{};  // what counted at the warning
  absl::Time said_at{};                    // of the last report
};

enum class IdleStep { kNone, kWarn, kStop };

// What a report means: `unused` is since its last use.
IdleStep ApplyReport(const IdleTimes& times, absl::Duration unused,
                    IdleState* state);
// It was used so long ago, as somebody else than its agent saw.
void ApplyUse(absl::Duration unused, IdleState* state);
// What of the time counts now.
absl::Duration CountedIdle(const IdleState& state);
// It was used, or is to be taken for that.
void ResetIdleTimer(IdleState* state);

// The template's where it has some.
IdleTimes IdleTimesOf(const IdleTimes& site,
                      const std::optional<JobTemplate>& job_template);

// An interactive job that runs: no batch job, no companion, none that makes an
// image.
bool IsJudgedByUse(const Job& job);

// After this without a report a job's use cannot be seen: agents say it every
// ten minutes at least (interval_s of agent.toml).
inline constexpr absl::Duration kUseUnseen = absl::Minutes(25);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_IDLE_POLICY_H_
