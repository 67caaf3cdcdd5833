// A job: carme.v1.Job as a plain value, with the fields that only the backend
// uses.
#ifndef CARME_BACKEND_JOBS_MODEL_JOB_H_
#define CARME_BACKEND_JOBS_MODEL_JOB_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/model/messages.h"
#include "backend/policy/spec/array.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "carme/v1/jobs.pb.h"
#include "common/display_text.h"
#include "common/ids.h"

namespace carme::backend {

// Their numbers are stored in the database.
using JobState = v1::JobState;
using JobEnd = v1::JobEnd;  // UNSPECIFIED: has not ended
using JobAppState = v1::JobAppState;
using JobStoppedBy = v1::JobStoppedBy;
using AdminActionKind = v1::AdminAction::Kind;

// An app in a job, as last reported by its agent.
struct JobApp {
  std::string id;
  JobAppState state = v1::JOB_APP_STATE_UNSPECIFIED;
  DisplayText detail;  // one sentence for the user; may be empty
  friend bool operator==(const JobApp&, const JobApp&) = default;
};

// The copying of a job's data and the vetting of its nodes are reported like an
// app; no app may have these ids.
inline constexpr char kStageIn[] = "stage-in";
inline constexpr char kStageOut[] = "stage-out";
inline constexpr char kVetting[] = "vetting";

inline bool IsApp(std::string_view id) {
  return id != kStageIn && id != kStageOut && id != kVetting;
}

// A GPU of a job: Slurm's name of its node, and its number there.
struct JobGpu {
  std::string node;
  std::string gpu;
  friend auto operator<=>(const JobGpu&, const JobGpu&) = default;
};

// An idle job.
struct JobIdle {
  absl::Time since;
  std::optional<absl::Time>
      stops_at{};              // unless it is used or the idle timer is reset
  bool stopped = false;        // because it was idle
  std::vector<JobGpu> gpus{};  // that are idle; empty: the job is unused
  bool returns_nodes = false;  // of the GPUs, instead of stopping
  friend bool operator==(const JobIdle&, const JobIdle&) = default;
};

// The use of a job as observed by the proxies.
struct JobInUse {
  int connections = 0;                     // websockets and requests now
  std::optional<absl::Time> last_input{};  // by a person
  uint64_t received_bytes = 0;             // from browsers
  uint64_t sent_bytes = 0;
  friend bool operator==(const JobInUse&, const JobInUse&) = default;
};

// Where a job's agent listens; a literal address. Port 0: not registered.
// kDialsOut: the agent on that node connects to the proxies; no agent may
// listen on such a low port.
inline constexpr int kDialsOut = 1;
struct AgentEndpoint {
  std::string address;
  int port = 0;
  friend bool operator==(const AgentEndpoint&, const AgentEndpoint&) = default;
};

// A job that was changed in Slurm and exceeds a limit.
struct LimitExcess {
  std::vector<Violation> violations;
  absl::Time since;
  std::optional<absl::Time> cancel_at{};  // absent: it is not cancelled
  friend bool operator==(const LimitExcess&, const LimitExcess&) = default;
};

// The accounted usage of a job: amount × time.
struct JobSpent {
  absl::Duration gpus{};
  absl::Duration cpus{};
  friend bool operator==(const JobSpent&, const JobSpent&) = default;
};

// The size of the current run since a time; the earlier part of the run is in
// JobSpent.
struct JobSized {
  absl::Time since;
  int64_t gpus = 0;  // of all nodes together
  int64_t cpus = 0;
  friend bool operator==(const JobSized&, const JobSized&) = default;
};

// The place of array tasks in Slurm; tasks can be updated one by one.
struct SlurmPlace {
  std::string partition;
  std::string qos;  // empty: Slurm's default
  std::string account;
  friend bool operator==(const SlurmPlace&, const SlurmPlace&) = default;
};

// The tasks of an array, as reported by Slurm.
struct JobArray {
  int64_t total = 0;
  int64_t pending = 0;
  int64_t running = 0;
  // The ended tasks by result; kept because Slurm removes them.
  std::map<JobEnd, TaskSet> ended{};
  // "task 4: ended with exit code 3": the first observed failure.
  DisplayText first_failure{};
  friend bool operator==(const JobArray&, const JobArray&) = default;
};

// An operation of an administrator on the job; visible to its owner.
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
  JobState state = v1::JOB_STATE_SUBMITTING;
  DisplayText reason;  // one sentence for the user; may be empty
  JobEnd end = v1::JOB_END_UNSPECIFIED;
  SlurmJobId slurm_id;  // 0: not known
  // The first submission time in Slurm, part of the identity there
  // (slurm_identity.h); absent: not observed yet.
  std::optional<absl::Time> slurm_submitted_at{};
  std::vector<std::string> nodes;
  int exit_code = 0;
  AgentEndpoint agent;
  absl::Time created_at;
  // Slurm's last estimate while the job is pending; not stored.
  std::optional<absl::Time> expected_start;
  std::optional<absl::Time> started_at;
  std::optional<absl::Time> ready_at;
  std::optional<absl::Time> ends_at;   // end of the walltime in Slurm
  std::vector<JobApp> apps;            // those that the agent reported
  std::optional<absl::Time> ended_at;  // set if and only if the state is kEnded
  std::optional<JobArray> array{};     // for an array; its Slurm id is slurm_id
  bool held = false;                   // by its user
  std::optional<JobIdle> idle{};       // not stored
  std::optional<JobInUse> in_use{};    // not stored
  // Recorded and not applied in Slurm yet; stored in a table of its own.
  std::optional<absl::Duration> pending_extension{};
  std::string account{};  // Slurm account; empty: not known
  // The QOS that Slurm chose because the spec has none; empty: not known.
  std::string default_qos{};
  JobStoppedBy stopped_by = v1::JOB_STOPPED_BY_UNSPECIFIED;
  std::optional<LimitExcess> over_limit{};
  // The usage of finished runs (array tasks, runs before a requeue) and of the
  // current run before `sized`.
  JobSpent spent{};
  std::optional<JobSized> sized{};  // not for arrays
  // The places of an array's active tasks, without duplicates; not stored.
  std::vector<SlurmPlace> places{};
  // For a failed job: the end of its log, and advice.
  std::string last_lines{};
  DisplayText advice{};
  // The job that was submitted for JobSpec::resubmit; empty: none.
  JobId resubmitted_as{};
  std::vector<AdminAction> admin_actions{};  // oldest first
  friend bool operator==(const Job&, const Job&) = default;
};

inline bool HasEnded(const Job& job) {
  return job.state == v1::JOB_STATE_ENDED;
}
inline bool IsBatch(const Job& job) { return job.spec.batch.has_value(); }
inline bool IsArray(const Job& job) { return job.array.has_value(); }
inline bool InSlurm(const Job& job) { return job.slurm_id != SlurmJobId(); }

// The administrator's stop that the job has not ended after yet; null: none.
inline const AdminAction* AdminStopOf(const Job& job) {
  for (const AdminAction& action : job.admin_actions) {
    if (action.kind == v1::AdminAction::KIND_STOP) return &action;
  }
  return nullptr;
}

// The administrator's hold that is in effect; null: none.
inline const AdminAction* AdminHoldOf(const Job& job) {
  const AdminAction* hold = nullptr;
  for (const AdminAction& action : job.admin_actions) {
    if (action.kind == v1::AdminAction::KIND_HOLD) hold = &action;
    if (action.kind == v1::AdminAction::KIND_RELEASE) hold = nullptr;
  }
  return hold;
}

// The job, ended. Copying and vetting in progress become incomplete.
inline Job Ended(Job job, JobEnd end, DisplayText reason, absl::Time now) {
  for (JobApp& app : job.apps) {
    if (IsApp(app.id) || app.state != v1::JOB_APP_STATE_STARTING) continue;
    app.state = v1::JOB_APP_STATE_FAILED;
    if (app.id == kVetting) continue;  // the job's reason has the cause
    app.detail = MakeText(job_model_messages::kCopyingIncomplete,
                          {{"progress", app.detail}});
  }
  job.state = v1::JOB_STATE_ENDED;
  job.expected_start.reset();
  job.held = false;
  job.idle.reset();
  job.in_use.reset();
  job.pending_extension.reset();
  job.over_limit.reset();
  if (end != v1::JOB_END_STOPPED)
    job.stopped_by = v1::JOB_STOPPED_BY_UNSPECIFIED;
  job.end = end;
  job.reason = std::move(reason);
  job.ended_at = now;
  if (const AdminAction* stop = AdminStopOf(job);
      stop != nullptr && end == v1::JOB_END_STOPPED) {
    job.stopped_by = v1::JOB_STOPPED_BY_ADMINISTRATOR;
    job.reason = MakeText(
        job_model_messages::kStoppedByAdministrator,
        {{"administrator", stop->administrator}, {"reason", stop->reason}});
  }
  return job;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_JOB_H_
