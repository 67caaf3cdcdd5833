// A job as Carme remembers it: carme.v1.Job as a plain value, with what only
// the backend knows.
#ifndef CARME_BACKEND_JOBS_MODEL_JOB_H_
#define CARME_BACKEND_JOBS_MODEL_JOB_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/policy/spec/array.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "common/ids.h"

namespace carme::backend {

// The numbers are carme.v1.JobState's and stand in the table.
enum class JobState {
  kSubmitting = 1,
  kPending = 2,
  kStarting = 3,
  kReady = 4,
  kStopping = 5,
  kEnded = 6,
};

// The numbers are carme.v1.JobEnd's and stand in the table.
enum class JobEnd {
  kNone = 0,
  kCompleted = 1,
  kStopped = 2,
  kTimeLimit = 3,
  kFailed = 4,
  kNodeFail = 5,
  kNotSubmitted = 6,
  kUnknown = 7,
  kOutOfMemory = 8,
};

// The numbers are carme.v1.JobAppState's.
enum class JobAppState {
  kStopped = 0,
  kStarting = 1,
  kReady = 2,
  kFailed = 3,
  kUnavailable = 4,
};

// An app in a job, as its agent last said.
struct JobApp {
  std::string id;
  JobAppState state = JobAppState::kStopped;
  std::string detail;  // one sentence for a person; may be empty
  friend bool operator==(const JobApp&, const JobApp&) = default;
};

// The copying of a job's data, reported as if it were an app; no app may have
// these ids.
inline constexpr char kStageIn[] = "stage-in";
inline constexpr char kStageOut[] = "stage-out";

// Nobody uses a job.
struct JobIdle {
  absl::Time since;
  std::optional<absl::Time> stops_at{};  // unless it is used, or kept
  bool stopped = false;                  // because of it
  friend bool operator==(const JobIdle&, const JobIdle&) = default;
};

// What the proxies saw of its use.
struct JobInUse {
  int connections = 0;                     // websockets and requests now
  std::optional<absl::Time> last_input{};  // a person's
  uint64_t received_bytes = 0;             // from browsers
  uint64_t sent_bytes = 0;
  friend bool operator==(const JobInUse&, const JobInUse&) = default;
};

// Where a job's agent listens; a literal address. Port 0: not registered.
// kDialsOut: on that node, and it connects to the proxies instead; no agent may
// listen on so low a port.
inline constexpr int kDialsOut = 1;
struct AgentEndpoint {
  std::string address;
  int port = 0;
  friend bool operator==(const AgentEndpoint&, const AgentEndpoint&) = default;
};

// The numbers are carme.v1.JobStoppedBy's.
enum class JobStoppedBy {
  kNotReported = 0,
  kUser = 1,
  kAdministrator = 2,
  kSlurm = 3,
  kCarme = 4,
};

// A job that was changed in Slurm and exceeds its limits since then.
struct LimitExcess {
  std::vector<Violation> violations;
  absl::Time since;
  std::optional<absl::Time> cancel_at{};  // absent: it is not cancelled
  friend bool operator==(const LimitExcess&, const LimitExcess&) = default;
};

// What a job has used: amount × time.
struct JobSpent {
  absl::Duration gpus{};
  absl::Duration cpus{};
  friend bool operator==(const JobSpent&, const JobSpent&) = default;
};

// The size of the current run, and since when it has that size: before it, the
// run is part of JobSpent.
struct JobSized {
  absl::Time since;
  int64_t gpus = 0;  // of all nodes together
  int64_t cpus = 0;
  friend bool operator==(const JobSized&, const JobSized&) = default;
};

// Where Slurm has tasks of an array, which can be updated one by one.
struct SlurmPlace {
  std::string partition;
  std::string qos;  // empty: the one that Slurm filled in
  std::string account;
  friend bool operator==(const SlurmPlace&, const SlurmPlace&) = default;
};

// The tasks of an array, as far as Slurm has told.
struct JobArray {
  int64_t total = 0;
  int64_t pending = 0;
  int64_t running = 0;
  // Those that have ended, by how; kept, because Slurm forgets them.
  std::map<JobEnd, TaskSet> ended{};
  // "task 4: ended with exit code 3": of the first that was seen to fail.
  std::string first_failure{};
  friend bool operator==(const JobArray&, const JobArray&) = default;
};

// The numbers are carme.v1.AdminAction.Kind's.
enum class AdminActionKind {
  kStop = 1,
  kHold = 2,
  kRelease = 3,
  kExtend = 4,
  kReadLog = 5,
};

// What an administrator did to the job, and why; its owner sees it.
struct AdminAction {
  AdminActionKind kind{};
  std::string administrator;  // a username
  std::string reason;
  absl::Time at;
  friend bool operator==(const AdminAction&, const AdminAction&) = default;
};

struct Job {
  JobId id;
  std::string owner;
  Uid owner_uid;
  JobSpec spec;  // complete
  JobState state = JobState::kSubmitting;
  std::string reason;  // one sentence for a person; may be empty
  JobEnd end = JobEnd::kNone;
  SlurmJobId slurm_id;  // 0 until it is known
  // When Slurm got it first, part of its identity there (slurm_identity.h);
  // absent: not seen yet.
  std::optional<absl::Time> slurm_submitted_at{};
  std::vector<std::string> nodes;
  int exit_code = 0;
  AgentEndpoint agent;
  absl::Time created_at;
  // While it waits, as Slurm last meant it; not in the table.
  std::optional<absl::Time> expected_start;
  std::optional<absl::Time> started_at;
  std::optional<absl::Time> ready_at;
  std::optional<absl::Time> ends_at;   // the walltime's end, as Slurm has it
  std::vector<JobApp> apps;            // of which the agent said something
  std::optional<absl::Time> ended_at;  // set exactly when the state is kEnded
  std::optional<JobArray> array{};     // of an array; its Slurm id is slurm_id
  bool held = false;              // by its user: it waits until it is released
  std::optional<JobIdle> idle{};  // not in the table
  std::optional<JobInUse> in_use{};  // likewise
  // Recorded, and not made in Slurm yet; likewise, but in a table of its own.
  std::optional<absl::Duration> pending_extension{};
  std::string account{};  // Slurm's; empty: not known
  // The QOS that Slurm filled in, because the spec has none; empty: not known.
  std::string default_qos{};
  JobStoppedBy stopped_by = JobStoppedBy::kNotReported;
  std::optional<LimitExcess> over_limit{};
  // By runs that are over: an array's tasks, and runs before a requeue; and by
  // the current run before `sized`.
  JobSpent spent{};
  std::optional<JobSized> sized{};  // of a run, not of an array
  // Of an array's active tasks, without duplicates; not in the table.
  std::vector<SlurmPlace> places{};
  // Of one that failed: what it wrote last, and what may help.
  std::string last_lines{};
  std::string advice{};
  std::vector<AdminAction> admin_actions{};  // the oldest first
  friend bool operator==(const Job&, const Job&) = default;
};

inline bool HasEnded(const Job& job) { return job.state == JobState::kEnded; }
inline bool IsBatch(const Job& job) { return job.spec.batch.has_value(); }
inline bool IsArray(const Job& job) { return job.array.has_value(); }
inline bool InSlurm(const Job& job) { return job.slurm_id != SlurmJobId(); }

// The administrator's stop that has not been followed by the job's end; null:
// there is none.
inline const AdminAction* AdminStopOf(const Job& job) {
  for (const AdminAction& action : job.admin_actions) {
    if (action.kind == AdminActionKind::kStop) return &action;
  }
  return nullptr;
}

// The hold of an administrator that no administrator has released; null: there
// is none.
inline const AdminAction* AdminHoldOf(const Job& job) {
  const AdminAction* hold = nullptr;
  for (const AdminAction& action : job.admin_actions) {
    if (action.kind == AdminActionKind::kHold) hold = &action;
    if (action.kind == AdminActionKind::kRelease) hold = nullptr;
  }
  return hold;
}

// The job as it ended now. What it was still copying is not whole.
inline Job Ended(Job job, JobEnd end, std::string reason, absl::Time now) {
  for (JobApp& app : job.apps) {
    if ((app.id != kStageIn && app.id != kStageOut) ||
        app.state != JobAppState::kStarting) {
      continue;
    }
    app.state = JobAppState::kFailed;
    app.detail = "the job ended before all files were copied; " + app.detail;
  }
  job.state = JobState::kEnded;
  job.expected_start.reset();
  job.held = false;
  job.idle.reset();
  job.in_use.reset();
  job.pending_extension.reset();
  job.over_limit.reset();
  if (end != JobEnd::kStopped) job.stopped_by = JobStoppedBy::kNotReported;
  job.end = end;
  job.reason = std::move(reason);
  job.ended_at = now;
  if (const AdminAction* stop = AdminStopOf(job);
      stop != nullptr && end == JobEnd::kStopped) {
    job.stopped_by = JobStoppedBy::kAdministrator;
    job.reason = "stopped by the administrator " + stop->administrator + ": " +
                 stop->reason;
  }
  return job;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_JOB_H_
