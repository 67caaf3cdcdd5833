// The states of a job, as a pure function of what Slurm was seen to say.
//
//   submitting → pending → starting → ready → stopping → ended
//
// Steps may be left out; a job that Slurm puts back into its queue goes from
// any of the middle ones to pending.
#ifndef CARME_BACKEND_JOBS_STATE_JOB_STATE_MACHINE_H_
#define CARME_BACKEND_JOBS_STATE_JOB_STATE_MACHINE_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// How long Slurm must have answered without knowing a job before that counts:
// for one whose submission result unknown, and for one that it had.
inline constexpr absl::Duration kSubmissionGrace = absl::Seconds(60);
inline constexpr absl::Duration kForgottenGrace = absl::Seconds(10);

// One look at a job in a snapshot that Slurm answered for.
struct Observation {
  const SlurmJob* slurm = nullptr;  // null: Slurm does not have it
  absl::Time asked_at{};            // when Slurm was asked
  absl::Time known_since{};         // when its Slurm id was learned
  bool submitting = false;          // its submission is still under way
  bool gap_in_polling = false;     // Slurm may have had it, and forgotten it
  absl::Time now{};
  const SlurmSnapshot* cluster = nullptr;  // for the numbers; null: without
};

// The job after it. READY comes only by its agent's report (`ready_at`).
Job Next(const Job& job, const Observation& sighting);

// Takes over what Slurm reports of an active job: it is what is shown, and what
// limits and quotas count. Users, administrators and extensions change it.
void ApplySlurmSpec(const SlurmJob& slurm, Job* job);

// Takes over Slurm's totals as amounts per node, rounded up.
void ApplySlurmSize(const SlurmSize& size, JobSpec* spec);

// The QOS as the spec has it: empty for the one that Slurm filled in.
std::string RequestedQos(const Job& job, const std::string& reported);

// All nodes' GPUs and CPUs, since `since`.
JobSized SizedAs(const JobSpec& spec, absl::Time since);

// Adds a run that is over, or a part of one, from size.since to `ended_at`, to
// what the job has used.
void CountRun(const JobSized& size, absl::Time ended_at, Job* job);

// The part of the run that is not in `spent`; nothing: it has not started.
std::optional<JobSized> CurrentRunOf(const Job& job);

// Pending, running or suspended: it holds or may get resources.
bool IsActive(SlurmState state);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STATE_JOB_STATE_MACHINE_H_
