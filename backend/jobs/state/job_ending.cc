#include "backend/jobs/state/job_ending.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/identity/session.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

// slurmctld does not report who cancelled a job.
constexpr char kCancelledInSlurm[] =
    "it was cancelled in Slurm, not through Carme";

struct FailureText {
  std::string_view reason;
  const char* sentence;
};

// Slurm's reasons for a failure that say more than an exit code.
constexpr FailureText kFailures[] = {
    {"JobLaunchFailure",
     "Slurm could not start it on its nodes: start it again, and tell an "
     "administrator if that fails, too"},
    {"launch_failed_requeued_held",
     "Slurm could not start it on its nodes: tell an administrator"},
    {"SystemFailure", "Slurm itself failed: start it again"},
    {"NodeDown", "one of its nodes went down: start it again"},
    {"InactiveLimit", "nothing ran in it for too long"},
    {"BadConstraints", "no node has what it requests"},
    {"PartitionDown", "its partition went down"},
    {"OutOfMemory", "it used more memory than it requested"},
    {"TimeLimit", "it reached its walltime"},
    {"DeadLine", "it did not finish before its deadline"},
    {"DependencyNeverSatisfied",
     "the job that it depended on did not end as required"},
    {"InvalidAccount", "its account in Slurm is not valid"},
    {"InvalidQOS", "its QOS in Slurm is not valid"},
    {"ReservationDeleted", "its reservation was deleted"},
    {"BurstBufferOperation", "the burst buffer failed"},
};

const char* SentenceOf(std::string_view word) {
  for (const FailureText& row : kFailures) {
    if (row.reason == word) return row.sentence;
  }
  return nullptr;
}

// The meaning of common exit codes of shells; see bash(1), signal(7).
const char* MeaningOf(int exit_code) {
  switch (exit_code) {
    case 126:
      return "a program could not be run";
    case 127:
      return "a command was not found";
    case 128 + 6:
      return "the program aborted (SIGABRT)";
    case 128 + 7:
    case 128 + 11:
      return "the program crashed with a memory error";
    case 128 + 8:
      return "the program crashed: a number";
    case 128 + 9:
      return "it was killed";
    case 128 + 15:
      return "it was asked to terminate";
    case 128 + 25:
      return "a file became too large";
    default:
      return nullptr;
  }
}

// The agent of the job, or of an array task, has run.
bool HasStarted(const Job& job) {
  return job.ready_at.has_value() || job.agent.port != 0;
}

std::string FailureOf(const Job& job, const SlurmJob& slurm) {
  // The agent's report about its app is better than an exit code.
  if (job.state == v1::JOB_STATE_STOPPING && !job.reason.empty()) {
    return job.reason;
  }
  const std::string word = PlainText(slurm.reason, 64);
  const std::string code =
      absl::StrCat("ended with exit code ", slurm.exit_code);
  // Slurm gives this reason for a killed batch script, too.
  if (word == "JobLaunchFailure" && HasStarted(job) && slurm.exit_code > 128) {
    return absl::StrCat("it was killed after it had started (signal ",
                        slurm.exit_code - 128, ")");
  }
  if (const char* sentence = SentenceOf(word)) return sentence;
  if (!word.empty() && word != "None" && word != "NonZeroExitCode") {
    return absl::StrCat(code, " (", word, ")");
  }
  const char* meaning = MeaningOf(slurm.exit_code);
  return meaning == nullptr ? code : absl::StrCat(code, ": ", meaning);
}

std::string WalltimeOf(const Job& job) {
  const int64_t minutes = absl::ToInt64Minutes(job.spec.walltime);
  if (minutes <= 0) return "it reached its walltime";
  const int64_t hours = minutes / 60, rest = minutes % 60;
  std::string time = hours > 0 ? absl::StrCat(hours, " h") : "";
  if (rest > 0) {
    absl::StrAppend(&time, time.empty() ? "" : " ", rest, " min");
  }
  return absl::StrCat("its walltime of ", time,
                      " was reached: request more next time");
}

std::string MemoryOf(const Job& job) {
  const int64_t mib = job.spec.memory_per_node_mib;
  if (mib <= 0) return "it used more memory than it requested";
  const std::string amount = mib % 1024 == 0 ? absl::StrCat(mib / 1024, " GiB")
                                             : absl::StrCat(mib, " MiB");
  return absl::StrCat("it used more memory than the ", amount,
                      " per node that it requested: request more next time");
}

std::string NodesOf(const Job& job) {
  if (job.nodes.empty()) return "one of its nodes failed: start it again";
  if (job.nodes.size() == 1) {
    return absl::StrCat("node ", job.nodes[0], " failed: start it again");
  }
  constexpr size_t kMaxNamed = 8;
  if (job.nodes.size() > kMaxNamed) {
    return absl::StrCat("one of its ", job.nodes.size(),
                        " nodes failed: start it again");
  }
  return absl::StrCat("one of its nodes failed (",
                      absl::StrJoin(job.nodes, ", "), "): start it again");
}

JobEnding CancelOf(const Job& job, const SlurmJob& slurm) {
  if (job.stopped_by == v1::JOB_STOPPED_BY_USER) {
    return {v1::JOB_END_STOPPED, "", job.stopped_by};
  }
  if (job.stopped_by != v1::JOB_STOPPED_BY_UNSPECIFIED) {
    return {v1::JOB_END_STOPPED, job.reason, job.stopped_by};
  }
  if (const char* sentence = SentenceOf(PlainText(slurm.reason, 64))) {
    return {v1::JOB_END_STOPPED, sentence, v1::JOB_STOPPED_BY_SLURM};
  }
  if (!slurm.cancelled_by) return {v1::JOB_END_STOPPED, kCancelledInSlurm};
  if (*slurm.cancelled_by == job.owner_uid) {
    return {v1::JOB_END_STOPPED, "", v1::JOB_STOPPED_BY_USER};
  }
  if (*slurm.cancelled_by == kNoUid) {
    return {v1::JOB_END_STOPPED, "Slurm cancelled it",
            v1::JOB_STOPPED_BY_SLURM};
  }
  return {v1::JOB_END_STOPPED, "an administrator cancelled it",
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
      return {v1::JOB_END_STOPPED,
              "Slurm preempted it for another job: start it again",
              v1::JOB_STOPPED_BY_SLURM};
    case SlurmState::kTimeLimit:
      return {v1::JOB_END_TIME_LIMIT, WalltimeOf(job)};
    case SlurmState::kDeadline:
      return {v1::JOB_END_TIME_LIMIT, "it did not finish before its deadline"};
    case SlurmState::kNodeFail:
      return {v1::JOB_END_NODE_FAIL, NodesOf(job)};
    case SlurmState::kBootFail:
      return {v1::JOB_END_NODE_FAIL,
              "one of its nodes did not boot: start it again"};
    case SlurmState::kOutOfMemory:
      return {v1::JOB_END_OUT_OF_MEMORY, MemoryOf(job)};
    default:
      return {v1::JOB_END_FAILED, FailureOf(job, slurm)};
  }
}

}  // namespace carme::backend
