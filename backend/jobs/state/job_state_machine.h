// The state machine of a job, as a pure function of what Slurm reports.
//   submitting → pending → starting → ready → stopping → ended
// States may be skipped. A job that Slurm requeues goes from any of the middle
// states back to pending.
#ifndef CARME_BACKEND_JOBS_STATE_JOB_STATE_MACHINE_H_
#define CARME_BACKEND_JOBS_STATE_JOB_STATE_MACHINE_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// How long Slurm must have responded without the job before that counts: for a
// job whose submission result is unknown, and for one that Slurm had.
inline constexpr absl::Duration kSubmissionGrace = absl::Seconds(60);
inline constexpr absl::Duration kForgottenGrace = absl::Seconds(10);

// An observation of a job in a snapshot for which Slurm responded.
struct Observation {
  const SlurmJob* slurm = nullptr;  // null: Slurm does not have it
  absl::Time asked_at{};            // when Slurm was asked
  absl::Time known_since{};         // when its Slurm id was learned
  bool submitting = false;          // its submission is in progress
  bool gap_in_polling = false;      // Slurm may have had and removed it
  absl::Time now{};
  const SlurmSnapshot* cluster = nullptr;  // for the numbers; may be null
};

// The job after the observation. READY needs the agent's report (`ready_at`).
Job Next(const Job& job, const Observation& observation);

// Applies Slurm's values of an active job, which are shown and counted by
// limits and quotas. Users, administrators and extensions may change them.
void ApplySlurmSpec(const SlurmJob& slurm, Job* job);

// Converts Slurm's totals to amounts per node, rounded up.
void ApplySlurmSize(const SlurmSize& size, JobSpec* spec);

// The QOS for the spec: empty if it is Slurm's default.
std::string RequestedQos(const Job& job, const std::string& reported);

// The GPUs and CPUs of all nodes since a time.
JobSized SizedAs(const JobSpec& spec, absl::Time since);

// Adds a finished run, or a part of one, from size.since to `ended_at`, to the
// usage of the job.
void CountRun(const JobSized& size, absl::Time ended_at, Job* job);

// The part of the run that is not in `spent`; nothing: it has not started.
std::optional<JobSized> CurrentRunOf(const Job& job);

// Pending, running or suspended: it has or may get resources.
bool IsActive(SlurmState state);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STATE_JOB_STATE_MACHINE_H_
