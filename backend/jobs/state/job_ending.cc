#include "backend/jobs/state/job_ending.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/identity/session.h"
#include "backend/jobs/state/messages.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

struct FailureText {
  std::string_view reason;
  const TextTemplate& sentence;
};

// Slurm's reasons for a failure that say more than an exit code.
constexpr FailureText kFailures[] = {
    {"JobLaunchFailure", job_state_messages::kLaunchFailure},
    {"launch_failed_requeued_held", job_state_messages::kLaunchFailureHeld},
    {"SystemFailure", job_state_messages::kSlurmFailed},
    {"NodeDown", job_state_messages::kNodeDown},
    {"InactiveLimit", job_state_messages::kInactive},
    {"BadConstraints", job_state_messages::kBadConstraints},
    {"PartitionDown", job_state_messages::kPartitionDown},
    {"OutOfMemory", job_state_messages::kOutOfMemory},
    {"TimeLimit", job_state_messages::kTimeLimit},
    {"DeadLine", job_state_messages::kDeadline},
    {"DependencyNeverSatisfied", job_state_messages::kDependencyFailed},
    {"InvalidAccount", job_state_messages::kInvalidAccount},
    {"InvalidQOS", job_state_messages::kInvalidQos},
    {"ReservationDeleted", job_state_messages::kReservationDeleted},
    {"BurstBufferOperation", job_state_messages::kBurstBufferFailed},
};

const TextTemplate* SentenceOf(std::string_view word) {
  for (const FailureText& row : kFailures) {
    if (row.reason == word) return &row.sentence;
  }
  return nullptr;
}

// With the meaning of common exit codes of shells; see bash(1), signal(7).
const TextTemplate& ExitText(int exit_code) {
  switch (exit_code) {
    case 126:
      return job_state_messages::kNotExecutable;
    case 127:
      return job_state_messages::kCommandNotFound;
    case 128 + 6:
      return job_state_messages::kAborted;
    case 128 + 7:
    case 128 + 11:
      return job_state_messages::kMemoryError;
    case 128 + 8:
      return job_state_messages::kNumberError;
    case 128 + 9:
      return job_state_messages::kKilled;
    case 128 + 15:
      return job_state_messages::kTerminated;
    case 128 + 25:
      return job_state_messages::kFileTooLarge;
    default:
      return job_state_messages::kExitCode;
  }
}

// The agent of the job, or of an array task, has run.
bool HasStarted(const Job& job) {
  return job.ready_at.has_value() || job.agent.port != 0;
}

DisplayText FailureOf(const Job& job, const SlurmJob& slurm) {
  // The agent's report about its app is better than an exit code.
  if (job.state == v1::JOB_STATE_STOPPING && !job.reason.empty()) {
    return job.reason;
  }
  const std::string word = PlainText(slurm.reason, 64);
  // What Slurm gives for a killed batch script: 22.05 the first, 24.11 the
  // other.
  const bool may_be_killed =
      word == "JobLaunchFailure" || word == "RaisedSignal";
  if (may_be_killed && HasStarted(job) && slurm.exit_code > 128) {
    return MakeText(job_state_messages::kKilledAfterStart,
                    {{"signal", slurm.exit_code - 128}});
  }
  if (const TextTemplate* sentence = SentenceOf(word)) {
    return MakeText(*sentence);
  }
  if (!word.empty() && word != "None" && word != "NonZeroExitCode" &&
      word != "RaisedSignal") {
    return MakeText(job_state_messages::kExitCodeAndReason,
                    {{"code", slurm.exit_code}, {"reason", word}});
  }
  return MakeText(ExitText(slurm.exit_code), {{"code", slurm.exit_code}});
}

DisplayText WalltimeOf(const Job& job) {
  const int64_t minutes = absl::ToInt64Minutes(job.spec.walltime);
  if (minutes <= 0) return MakeText(job_state_messages::kTimeLimit);
  const int64_t hours = minutes / 60, rest = minutes % 60;
  std::string time = hours > 0 ? absl::StrCat(hours, " h") : "";
  if (rest > 0) {
    absl::StrAppend(&time, time.empty() ? "" : " ", rest, " min");
  }
  return MakeText(job_state_messages::kTimeLimitOf, {{"walltime", time}});
}

DisplayText MemoryOf(const Job& job) {
  const int64_t mib = job.spec.memory_per_node_mib;
  if (mib <= 0) return MakeText(job_state_messages::kOutOfMemory);
  const std::string amount = mib % 1024 == 0 ? absl::StrCat(mib / 1024, " GiB")
                                             : absl::StrCat(mib, " MiB");
  return MakeText(job_state_messages::kOutOfMemoryOf, {{"memory", amount}});
}

DisplayText NodesOf(const Job& job) {
  if (job.nodes.empty()) return MakeText(job_state_messages::kANodeFailed);
  if (job.nodes.size() == 1) {
    return MakeText(job_state_messages::kNodeFailed, {{"node", job.nodes[0]}});
  }
  constexpr size_t kMaxNamed = 8;
  if (job.nodes.size() > kMaxNamed) {
    return MakeText(job_state_messages::kOneOfManyNodesFailed,
                    {{"nodes", job.nodes.size()}});
  }
  return MakeText(job_state_messages::kOneOfNodesFailed,
                  {{"nodes", absl::StrJoin(job.nodes, ", ")}});
}

JobEnding CancelOf(const Job& job, const SlurmJob& slurm) {
  if (job.stopped_by == v1::JOB_STOPPED_BY_USER) {
    return {v1::JOB_END_STOPPED, "", job.stopped_by};
  }
  if (job.stopped_by != v1::JOB_STOPPED_BY_UNSPECIFIED) {
    return {v1::JOB_END_STOPPED, job.reason, job.stopped_by};
  }
  if (const TextTemplate* sentence = SentenceOf(PlainText(slurm.reason, 64))) {
    return {v1::JOB_END_STOPPED, MakeText(*sentence), v1::JOB_STOPPED_BY_SLURM};
  }
  // slurmctld does not report who cancelled a job.
  if (!slurm.cancelled_by) {
    return {v1::JOB_END_STOPPED,
            MakeText(job_state_messages::kCancelledInSlurm)};
  }
  if (*slurm.cancelled_by == job.owner_uid) {
    return {v1::JOB_END_STOPPED, "", v1::JOB_STOPPED_BY_USER};
  }
  if (*slurm.cancelled_by == kNoUid) {
    return {v1::JOB_END_STOPPED, MakeText(job_state_messages::kSlurmCancelled),
            v1::JOB_STOPPED_BY_SLURM};
  }
  return {v1::JOB_END_STOPPED,
          MakeText(job_state_messages::kAdministratorCancelled),
          v1::JOB_STOPPED_BY_ADMINISTRATOR};
}

}  // namespace

bool IsStopperUnknown(const Job& ended) {
  return ended.end == v1::JOB_END_STOPPED && InSlurm(ended) &&
         ended.stopped_by == v1::JOB_STOPPED_BY_UNSPECIFIED;
}

JobEnding EndingOf(const Job& job, const SlurmJob& slurm) {
  switch (slurm.state) {
    case SlurmState::kCompleted:
      return {v1::JOB_END_COMPLETED, ""};
    case SlurmState::kCancelled:
      return CancelOf(job, slurm);
    case SlurmState::kPreempted:
      return {v1::JOB_END_STOPPED, MakeText(job_state_messages::kPreempted),
              v1::JOB_STOPPED_BY_SLURM};
    case SlurmState::kTimeLimit:
      return {v1::JOB_END_TIME_LIMIT, WalltimeOf(job)};
    case SlurmState::kDeadline:
      return {v1::JOB_END_TIME_LIMIT, MakeText(job_state_messages::kDeadline)};
    case SlurmState::kNodeFail:
      return {v1::JOB_END_NODE_FAIL, NodesOf(job)};
    case SlurmState::kBootFail:
      return {v1::JOB_END_NODE_FAIL, MakeText(job_state_messages::kBootFailed)};
    case SlurmState::kOutOfMemory:
      return {v1::JOB_END_OUT_OF_MEMORY, MemoryOf(job)};
    default:
      return {v1::JOB_END_FAILED, FailureOf(job, slurm)};
  }
}

}  // namespace carme::backend
