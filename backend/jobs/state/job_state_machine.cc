#include "backend/jobs/state/job_state_machine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/diagnosis/pending_reason.h"
#include "backend/jobs/model/slurm_identity.h"
#include "backend/jobs/state/job_ending.h"
#include "backend/jobs/state/messages.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

// For a job that was changed in Slurm; the start form allows fewer.
constexpr size_t kMaxNameBytes = 512;
constexpr char kUntypedGpu[] = "gpu";

// For names of partitions, accounts and the like.
constexpr size_t kMaxWordBytes = 256;

void FollowText(const std::string& reported, size_t max_bytes,
                std::string* text) {
  std::string readable = Readable(reported, max_bytes);
  if (!readable.empty()) *text = std::move(readable);
}

// "0-9%4": the user may change how many tasks run at once.
void FollowThrottle(std::optional<int> at_once, BatchSpec* batch) {
  if (!at_once) return;
  batch->array.resize(std::min(batch->array.find('%'), batch->array.size()));
  if (*at_once > 0) absl::StrAppend(&batch->array, "%", *at_once);
}

// A spec without a QOS requests the user's default. It stays empty while the
// job has the QOS that Slurm chose.
void FollowQos(const std::string& reported, Job* job) {
  const std::string qos = Readable(reported, kMaxWordBytes);
  if (qos.empty()) return;
  if (job->spec.qos.empty() && job->default_qos.empty()) {
    job->default_qos = qos;
  }
  job->spec.qos = RequestedQos(*job, qos);
}

// Each size of a run counts for the time that the run had it.
void FollowRunSize(absl::Time now, Job* job) {
  const absl::Time started = *job->started_at;
  if (started == absl::InfinitePast()) return;  // not reported
  std::optional<JobSized>& sized = job->sized;
  if (!sized || sized->since < started) {
    sized = SizedAs(job->spec, started);
    return;
  }
  const JobSized is = SizedAs(job->spec, std::max(now, sized->since));
  if (is.gpus == sized->gpus && is.cpus == sized->cpus) return;
  CountRun(*sized, is.since, job);
  sized = is;
}

Job WithoutSlurm(const Job& job, const Observation& seen) {
  if (InSlurm(job)) {
    if (seen.asked_at <= seen.known_since + kForgottenGrace) return job;
    return Ended(job, v1::JOB_END_UNKNOWN,
                 FormatMessage(job_state_messages::kRemovedUnobserved),
                 seen.now);
  }
  if (seen.submitting || seen.asked_at <= job.created_at + kSubmissionGrace) {
    return job;
  }
  if (seen.gap_in_polling) {
    return Ended(job, v1::JOB_END_UNKNOWN,
                 FormatMessage(job_state_messages::kNotObserved), seen.now);
  }
  if (job.state == v1::JOB_STATE_STOPPING) {
    return Ended(job, v1::JOB_END_STOPPED,
                 FormatMessage(job_state_messages::kStoppedUnsubmitted),
                 seen.now);
  }
  return Ended(job, v1::JOB_END_NOT_SUBMITTED,
               FormatMessage(job_state_messages::kNeverInSlurm), seen.now);
}

// A requeue sets a new submission time once the run has ended.
absl::Time EndBeforeRequeue(const Observation& seen) {
  const absl::Time submitted = seen.slurm->submitted;
  return submitted == absl::InfinitePast() ? seen.now
                                           : std::min(submitted, seen.now);
}

Job Pending(Job job, const Observation& seen) {
  const SlurmJob& slurm = *seen.slurm;
  // Never started and stopping: the snapshot is older than the cancellation.
  if (job.state == v1::JOB_STATE_STOPPING && !job.started_at) return job;
  if (const auto run = CurrentRunOf(job)) {
    CountRun(*run, EndBeforeRequeue(seen), &job);
  }
  job.state = v1::JOB_STATE_PENDING;
  job.reason = PendingReason(slurm, job.spec, seen.cluster);
  // Users cannot release a hold that another account set.
  job.held = slurm.held && slurm.reason == "JobHeldUser";
  job.idle.reset();
  job.in_use.reset();
  job.expected_start.reset();
  // Slurm reports an estimate in the past as "now", anew at each poll.
  if (!slurm.held && slurm.expected_start > seen.now + absl::Minutes(1)) {
    job.expected_start = slurm.expected_start;
  }
  // Slurm requeued it: the values of the last run no longer apply.
  job.nodes.clear();
  job.agent = AgentEndpoint();
  job.started_at.reset();
  job.sized.reset();
  job.ready_at.reset();
  job.ends_at.reset();
  return job;
}

Job Running(Job job, const Observation& seen, bool suspended) {
  const SlurmJob& slurm = *seen.slurm;
  job.nodes = slurm.nodes;
  job.held = false;
  job.started_at = slurm.started_at;
  FollowRunSize(seen.now, &job);
  job.ends_at.reset();
  if (slurm.ends_at != absl::InfiniteFuture()) job.ends_at = slurm.ends_at;
  if (job.state == v1::JOB_STATE_STOPPING) return job;
  job.state = job.ready_at ? v1::JOB_STATE_READY : v1::JOB_STATE_STARTING;
  job.reason =
      suspended ? MakeText(job_state_messages::kSuspended) : DisplayText();
  return job;
}

Job Over(Job job, const SlurmJob& slurm, absl::Time now) {
  if (slurm.started_at != absl::InfinitePast() && !slurm.nodes.empty()) {
    job.nodes = slurm.nodes;
    job.started_at = slurm.started_at;
  }
  job.exit_code = slurm.exit_code;
  absl::Time when = std::min(slurm.ends_at, now);
  if (when < job.created_at) when = now;  // not set by Slurm yet
  JobEnding ending = EndingOf(job, slurm);
  job.stopped_by = ending.stopped_by;
  return Ended(std::move(job), ending.end, std::move(ending.reason), when);
}

}  // namespace

bool IsActive(SlurmState state) {
  return state == SlurmState::kPending || state == SlurmState::kRunning ||
         state == SlurmState::kSuspended;
}

// Rounded up, so that usage is not underestimated.
void ApplySlurmSize(const SlurmSize& size, JobSpec* spec) {
  if (size.nodes <= 0) return;
  const int64_t nodes = size.nodes;
  const auto per_node = [nodes](int64_t total) {
    return (total + nodes - 1) / nodes;
  };
  spec->nodes = size.nodes;
  if (size.cpus > 0)
    spec->cpus_per_node = static_cast<int>(per_node(size.cpus));
  if (size.memory_mib > 0) {
    spec->memory_per_node_mib = per_node(size.memory_mib);
  }
  if (!size.gpus) return;
  int64_t gpus = 0;
  std::string types;
  for (const auto& [type, count] : *size.gpus) {
    if (count <= 0) continue;
    gpus += count;
    if (type != kUntypedGpu) {
      absl::StrAppend(&types, types.empty() ? "" : ",", type);
    }
  }
  spec->gpus_per_node = static_cast<int>(per_node(gpus));
  spec->gpu_type = Readable(types, kMaxWordBytes);
}

std::string RequestedQos(const Job& job, const std::string& reported) {
  const bool is_default =
      !job.default_qos.empty() && reported == job.default_qos;
  return is_default ? "" : reported;
}

JobSized SizedAs(const JobSpec& spec, absl::Time since) {
  const int64_t nodes = std::max(spec.nodes, 1);
  return {.since = since,
          .gpus = nodes * spec.gpus_per_node,
          .cpus = nodes * spec.cpus_per_node};
}

void CountRun(const JobSized& size, absl::Time ended_at, Job* job) {
  const absl::Duration ran =
      std::max(absl::ZeroDuration(), ended_at - size.since);
  job->spent.gpus += ran * size.gpus;
  job->spent.cpus += ran * size.cpus;
}

std::optional<JobSized> CurrentRunOf(const Job& job) {
  if (!job.started_at) return std::nullopt;
  // A run that started later was not observed yet.
  if (job.sized && job.sized->since >= *job.started_at) return job.sized;
  return SizedAs(job.spec, *job.started_at);
}

void ApplySlurmSpec(const SlurmJob& slurm, Job* job) {
  JobSpec& spec = job->spec;
  spec.walltime = slurm.walltime.value_or(spec.walltime);
  FollowText(slurm.name, kMaxNameBytes, &spec.name);
  FollowText(slurm.partition, kMaxWordBytes, &spec.partition);
  // For a pending job Slurm reports the QOS and account that it chose, and a
  // reservation only if there is one.
  FollowQos(slurm.qos, job);
  FollowText(slurm.account, kMaxWordBytes, &job->account);
  FollowText(slurm.reservation, kMaxWordBytes, &spec.reservation);
  if (IsArray(*job)) FollowThrottle(slurm.at_once, &*spec.batch);
  ApplySlurmSize(slurm.size, &spec);
}

Job Next(const Job& job, const Observation& observation) {
  if (HasEnded(job)) return job;
  if (observation.slurm == nullptr) return WithoutSlurm(job, observation);
  const SlurmJob& slurm = *observation.slurm;
  Job next = job;
  next.slurm_id = slurm.id;
  RecordSubmitTime(slurm, &next);
  if (IsActive(slurm.state)) ApplySlurmSpec(slurm, &next);
  if (slurm.state != SlurmState::kPending) next.expected_start.reset();
  switch (slurm.state) {
    case SlurmState::kUnknown:
      return next;
    case SlurmState::kPending:
      return Pending(std::move(next), observation);
    case SlurmState::kRunning:
      return Running(std::move(next), observation, false);
    case SlurmState::kSuspended:
      return Running(std::move(next), observation, true);
    case SlurmState::kCompleting:
      next.state = v1::JOB_STATE_STOPPING;
      return next;
    default:
      return Over(std::move(next), slurm, observation.now);
  }
}

}  // namespace carme::backend
