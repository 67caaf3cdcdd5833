#include "backend/jobs/jobs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "backend/jobs/job_question.h"
#include "backend/policy/array.h"
#include "backend/slurm/act_error.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr int kEndedShown = 20;
constexpr int kEndedKept = 200;  // of each owner
constexpr absl::Duration kEndedKeptFor = absl::Hours(24 * 90);

PosixUser UserOf(const Job& job) { return {job.owner, job.owner_uid}; }

// Whose log is meant: the job's, or one task's of an array.
absl::Status CheckTask(const Job& job, const std::string& app,
                       std::optional<uint32_t> task) {
  if (!IsArray(job)) {
    if (!task) return absl::OkStatus();
    return absl::InvalidArgumentError("the job is no array: expected no task");
  }
  if (!app.empty()) {
    return absl::InvalidArgumentError("an array has no app: expected a task");
  }
  const absl::StatusOr<ArrayShape> shape = ParseArray(job.spec.batch->array);
  if (task && shape.ok() && shape->tasks.Contains(*task)) {
    return absl::OkStatus();
  }
  return absl::NotFoundError(
      "each task of the array has a log of its own: "
      "expected the index of one");
}

}  // namespace

Jobs::Jobs(const Parts& parts, const JobsConfig& config)
    : parts_(parts),
      config_(config),
      store_(parts.database),
      live_(&store_, &feed_, parts.routes),
      canceller_(parts.submitter, parts.audit, parts.clock),
      extensions_({parts.database, &live_, parts.scheduler, parts.submitter,
                   parts.clock, &config_, parts.find_template,
                   parts.extension_quotas}),
      holds_(&live_, parts.scheduler, parts.submitter, parts.clock),
      idle_({&live_,
             parts.database,
             &canceller_,
             parts.clock,
             {config.life.idle_warning, config.life.idle_stop},
             parts.find_template}),
      end_warnings_(&live_, parts.database, parts.clock,
                    config.life.longest_walltime > absl::ZeroDuration()),
      last_words_(&live_, &store_, &feed_, parts.submitter),
      reconciler_(
          {&live_, &store_, &feed_, &canceller_, parts.clock, &last_words_}) {}

absl::StatusOr<std::unique_ptr<Jobs>> Jobs::Open(const Parts& parts,
                                                 const JobsConfig& config) {
  std::unique_ptr<Jobs> jobs(new Jobs(parts, config));
  RETURN_IF_ERROR(jobs->store_.CountUsage());
  RETURN_IF_ERROR(jobs->live_.Load(parts.clock->Now()));
  RETURN_IF_ERROR(jobs->store_.CompleteHistory());
  RETURN_IF_ERROR(jobs->extensions_.Load());
  parts.scheduler->OnPoll([self = jobs.get()](const SlurmSnapshotPtr& seen) {
    self->reconciler_.Look(*seen);
    self->extensions_.Look(*seen);
    self->end_warnings_.Look();
    self->polls_.Polled();
  });
  return jobs;
}

absl::StatusOr<std::vector<Job>> Jobs::List(const Session& caller,
                                            const std::string& request_id) {
  std::vector<Job> jobs = live_.Of(caller.username);
  const absl::StatusOr<std::vector<Job>> ended =
      store_.Ended(caller.username, kEndedShown);
  if (!ended.ok()) {
    return HiddenError(ended.status(), request_id,
                       "the jobs cannot be read now: try again");
  }
  for (const Job& job : *ended) {
    const bool here =
        std::any_of(jobs.begin(), jobs.end(),
                    [&](const Job& other) { return other.id == job.id; });
    if (!here) jobs.push_back(job);
  }
  std::erase_if(jobs, [&](const Job& job) { return !Owns(caller, job); });
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
    return a.created_at > b.created_at;
  });
  int ended_shown = 0;  // one whose end is not written yet came on top
  std::erase_if(jobs, [&](const Job& job) {
    return HasEnded(job) && ++ended_shown > kEndedShown;
  });
  return jobs;
}

absl::StatusOr<Job> Jobs::Get(const Session& caller, const JobId& id,
                              const std::string& request_id) {
  const absl::Status missing = absl::NotFoundError("you have no such job");
  if (!IsJobId(id.value())) return missing;
  std::optional<Job> job = live_.Find(id);
  if (!job) {
    absl::StatusOr<Job> stored = store_.Find(id);
    if (absl::IsNotFound(stored.status())) return missing;
    if (!stored.ok()) {
      return HiddenError(stored.status(), request_id,
                         "the job cannot be read now: try again");
    }
    job = *std::move(stored);
  }
  if (!Owns(caller, *job)) return missing;
  return *job;
}

absl::StatusOr<Job> Jobs::Stop(const Session& caller, const JobId& id,
                               const std::string& request_id) {
  ASSIGN_OR_RETURN(const Job job, Get(caller, id, request_id));
  if (HasEnded(job)) return job;
  absl::Status cancelled;
  if (InSlurm(job)) {
    cancelled = parts_.submitter->CancelAsUser(UserOf(job), job.slurm_id, id,
                                               request_id);
  }
  LogInfo("job stopped", {{"request", request_id},
                          {"user", job.owner},
                          {"job", id.value()},
                          {"slurm_job", job.slurm_id.value()},
                          {"result", cancelled.ToString()}});
  if (!cancelled.ok()) return ShownActError(cancelled);
  absl::StatusOr<Job> stopping = MarkStopping(job, request_id);
  if (InSlurm(job)) {
    parts_.scheduler->FollowToEnd(job.slurm_id);
  } else {
    parts_.scheduler->Hurry();
  }
  return stopping;
}

absl::StatusOr<LogText> Jobs::ReadLog(const Session& caller, const JobId& id,
                                      const std::string& app, int64_t offset,
                                      const std::string& request_id,
                                      std::optional<uint32_t> task) {
  ASSIGN_OR_RETURN(const Job job, Get(caller, id, request_id));
  RETURN_IF_ERROR(CheckTask(job, app, task));
  if (!app.empty() && config_.FindApp(app) == nullptr) {
    return absl::InvalidArgumentError("no such app is offered");
  }
  LogPart part;
  part.job = job.id;
  if (InSlurm(job) && !HasEnded(job)) part.slurm_job = job.slurm_id;
  part.app = app;
  part.offset = offset;
  part.task = task;
  absl::StatusOr<LogText> text =
      parts_.submitter->ReadLogAsUser(UserOf(job), part, request_id);
  if (text.ok() || absl::IsNotFound(text.status())) return text;
  return HiddenError(text.status(), request_id, "the log cannot be read now");
}

absl::StatusOr<Job> Jobs::MarkStopping(const Job& job,
                                       const std::string& request_id) {
  const auto changed = live_.Change(job.id, [&](LiveJob& live) {
    // Its id came while we were looking: the mark is seen there or here.
    if (!InSlurm(job) && InSlurm(live.job)) {
      canceller_.Ask(live.job, live.job.slurm_id, "stopped");
    }
    if (live.job.state != JobState::kStopping) {
      live.stopping_since = parts_.clock->Now();
    }
    live.job.state = JobState::kStopping;
    live.job.reason.clear();
    live.job.idle.reset();  // it is its user who stops it
  });
  if (!changed) return live_.Find(job.id).value_or(job);
  const absl::Status written = live_.Wait(changed->ticket);
  if (!written.ok()) {
    return HiddenError(written, request_id,
                       "the stop cannot be recorded now: try again");
  }
  return changed->job;
}

void Jobs::Sweep() {
  const absl::StatusOr<int64_t> forgotten =
      store_.Forget(parts_.clock->Now() - kEndedKeptFor, kEndedKept);
  if (!forgotten.ok()) {
    LogError("old jobs cannot be forgotten",
             {{"error", forgotten.status().ToString()}});
  } else if (*forgotten > 0) {
    LogInfo("old jobs forgotten", {{"jobs", *forgotten}});
  }
}

}  // namespace carme
