#include "backend/jobs/jobs.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "backend/jobs/extension_quotas.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/jobs/messages.h"
#include "backend/jobs/model/job_owner.h"
#include "backend/jobs/state/found_job.h"
#include "backend/policy/spec/array.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kEndedShown = 20;
constexpr int kEndedKept = 200;  // per owner
constexpr absl::Duration kEndedKeptFor = absl::Hours(24 * 90);

PosixUser UserOf(const Job& job) { return {job.owner, job.owner_uid}; }

// Checks that the job has such a log: its own, or that of a task.
absl::Status CheckTask(const Job& job, const std::string& app,
                       std::optional<uint32_t> task) {
  if (!IsArray(job)) {
    if (!task) return absl::OkStatus();
    return MakeError(job_messages::kNoTasks);
  }
  if (!app.empty()) {
    return MakeError(job_messages::kArrayHasNoApp);
  }
  const absl::StatusOr<ArrayShape> shape = ParseArray(job.spec.batch->array);
  if (task && shape.ok() && shape->tasks.Contains(*task)) {
    return absl::OkStatus();
  }
  return MakeError(job_messages::kChooseTask);
}

void SetStopping(absl::Time now, ActiveJob* active) {
  if (active->job.state != v1::JOB_STATE_STOPPING) active->stopping_since = now;
  active->job.state = v1::JOB_STATE_STOPPING;
  active->job.idle.reset();  // the user stops it, not the idle timer
  // An administrator's stop is recorded before it is executed.
  active->job.stopped_by = AdminStopOf(active->job) != nullptr
                               ? v1::JOB_STOPPED_BY_ADMINISTRATOR
                               : v1::JOB_STOPPED_BY_USER;
}

}  // namespace

Jobs::Jobs(const Parts& parts, const JobsConfig& config)
    : parts_(parts),
      config_(config),
      store_(parts.database),
      active_(&store_, &feed_, parts.routes),
      cancel_queue_(parts.submitter, parts.audit, parts.clock),
      node_returns_({.active = &active_,
                     .scheduler = parts.scheduler,
                     .submitter = parts.submitter,
                     .audit = parts.audit,
                     .clock = parts.clock}),
      extension_quotas_(parts.quotas == nullptr
                            ? nullptr
                            : std::make_unique<SiteExtensionQuotas>(
                                  parts.quotas, parts.projects)),
      extensions_({.database = parts.database,
                   .active = &active_,
                   .scheduler = parts.scheduler,
                   .submitter = parts.submitter,
                   .clock = parts.clock,
                   .config = &config_,
                   .templates = parts.templates,
                   .quotas = extension_quotas_.get()}),
      holds_(&active_, parts.scheduler, parts.submitter, parts.clock),
      idle_({.active = &active_,
             .database = parts.database,
             .cancel_queue = &cancel_queue_,
             .node_returns = &node_returns_,
             .clock = parts.clock,
             .site = {config.life.idle_warning, config.life.idle_stop},
             .templates = parts.templates}),
      end_warnings_(&active_, parts.database, parts.clock,
                    config.life.longest_walltime > absl::ZeroDuration()),
      failure_log_(&active_, &store_, &feed_, parts.submitter, parts.storage),
      limit_enforcer_({.active = &active_,
                       .database = parts.database,
                       .scheduler = parts.scheduler,
                       .submitter = parts.submitter,
                       .cancel_queue = &cancel_queue_,
                       .audit = parts.audit,
                       .clock = parts.clock,
                       .projects = parts.projects,
                       .quotas = parts.quotas,
                       .templates = parts.templates,
                       .rule = config.excess}),
      accounted_ends_(
          parts.accounting == nullptr
              ? nullptr
              : std::make_unique<AccountedEnds>(parts.accounting, parts.clock)),
      reconciler_({&active_, &store_, &feed_, &cancel_queue_, parts.clock,
                   &failure_log_, accounted_ends_.get(), &limit_enforcer_,
                   parts.node_history}),
      submission_({.database = parts.database,
                   .scheduler = parts.scheduler,
                   .submitter = parts.submitter,
                   .audit = parts.audit,
                   .clock = parts.clock,
                   .images = parts.images,
                   .environments = parts.environments,
                   .projects = parts.projects,
                   .quotas = parts.quotas,
                   .config = &config_,
                   .store = &store_,
                   .active = &active_,
                   .cancel_queue = &cancel_queue_,
                   .maintenance = parts.maintenance,
                   .node_history = parts.node_history}) {}

SubmissionPolicy Jobs::PolicyOn(Database* database, Quotas* quotas) {
  return SubmissionPolicy({.database = database,
                           .scheduler = parts_.scheduler,
                           .clock = parts_.clock,
                           .images = parts_.images,
                           .environments = parts_.environments,
                           .projects = parts_.projects,
                           .quotas = quotas,
                           .config = &config_,
                           .active = &active_,
                           .maintenance = parts_.maintenance,
                           .node_history = parts_.node_history});
}

absl::StatusOr<std::unique_ptr<Jobs>> Jobs::Open(const Parts& parts,
                                                 const JobsConfig& config) {
  std::unique_ptr<Jobs> jobs(new Jobs(parts, config));
  RETURN_IF_ERROR(jobs->store_.CountUsage());
  RETURN_IF_ERROR(jobs->active_.Load(parts.clock->Now()));
  RETURN_IF_ERROR(jobs->reconciler_.Load());
  jobs->TrackJobs();
  RETURN_IF_ERROR(jobs->store_.CompleteHistory());
  RETURN_IF_ERROR(jobs->extensions_.Load());
  parts.scheduler->OnPoll([self = jobs.get()](const SlurmSnapshotPtr& seen) {
    self->reconciler_.OnPoll(*seen);
    self->TrackJobs();
    self->limit_enforcer_.OnPoll();
    self->extensions_.OnPoll(*seen);
    self->end_warnings_.OnPoll();
    self->polls_.Polled();
  });
  return jobs;
}

void Jobs::TrackJobs() {
  std::set<SlurmJobId> ids;
  active_.ForEach([&](const Job& job) {
    if (InSlurm(job) && !HasEnded(job)) ids.insert(job.slurm_id);
  });
  parts_.scheduler->TrackOnly(std::move(ids));
}

absl::StatusOr<std::vector<Job>> Jobs::List(const Session& caller,
                                            const std::string& request_id) {
  std::vector<Job> jobs = active_.Of(caller.username);
  const absl::StatusOr<std::vector<Job>> ended =
      store_.Ended(caller.username, kEndedShown);
  if (!ended.ok()) {
    return HideError(ended.status(), request_id, job_messages::kJobsUnreadable);
  }
  for (const Job& job : *ended) {
    const bool here =
        std::any_of(jobs.begin(), jobs.end(),
                    [&](const Job& other) { return other.id == job.id; });
    if (!here) jobs.push_back(job);
  }
  std::erase_if(jobs, [&](const Job& job) { return !IsOwner(caller, job); });
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
    return a.created_at > b.created_at;
  });
  int ended_shown = 0;  // a job whose end is not written yet may be added
  std::erase_if(jobs, [&](const Job& job) {
    return HasEnded(job) && ++ended_shown > kEndedShown;
  });
  return jobs;
}

absl::StatusOr<Job> Jobs::Get(const Session& caller, const JobId& id,
                              const std::string& request_id) {
  const absl::Status missing = MakeError(job_messages::kNotYours);
  const absl::StatusOr<Job> job = GetOfAnyOwner(id, request_id);
  if (absl::IsNotFound(job.status())) return missing;
  if (job.ok() && !IsOwner(caller, *job)) return missing;
  return job;
}

absl::StatusOr<Job> Jobs::GetOfAnyOwner(const JobId& id,
                                        const std::string& request_id) {
  const absl::Status missing = MakeError(job_messages::kNotFound);
  if (!IsJobId(id.value())) return missing;
  std::optional<Job> job = active_.Find(id);
  if (!job) {
    absl::StatusOr<Job> stored = store_.Find(id);
    if (absl::IsNotFound(stored.status())) return missing;
    if (!stored.ok()) {
      return HideError(stored.status(), request_id,
                       job_messages::kJobUnreadable);
    }
    job = *std::move(stored);
  }
  return *job;
}

absl::StatusOr<Job> Jobs::Stop(const Session& caller, const JobId& id,
                               const std::string& request_id) {
  ASSIGN_OR_RETURN(const Job job, Get(caller, id, request_id));
  if (HasEnded(job)) return job;
  std::optional<Job> before;
  // The record comes first: a stop that Slurm cannot accept now is not lost.
  const std::optional<ActiveJobs::Changed> marked = MarkStopping(job, &before);
  absl::Status cancelled;
  if (InSlurm(job)) {
    cancelled = parts_.submitter->CancelAsUser(UserOf(job), job.slurm_id, id,
                                               request_id);
  }
  LogInfo("job stopped", {{"request", request_id},
                          {"user", job.owner},
                          {"job", id.value()},
                          {"slurm_job", job.slurm_id.value()},
                          {"result", StatusText(cancelled)}});
  const bool not_taken = absl::IsUnavailable(cancelled) ||
                         absl::IsDeadlineExceeded(cancelled) ||
                         absl::IsAborted(cancelled);
  if (not_taken) {
    DeferStop(job);
  } else if (cancelled.ok()) {
    ConfirmStop(job);
  } else {
    if (before) UnmarkStopping(*before);
    return ClientOperationError(cancelled);
  }
  absl::StatusOr<Job> stopping =
      AwaitStop(job, marked, cancelled.ok() && InSlurm(job), request_id);
  if (InSlurm(job)) {
    parts_.scheduler->TrackUntilEnd(job.slurm_id);
  } else {
    parts_.scheduler->RefreshSoon();
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
    return MakeError(job_messages::kUnknownApp);
  }
  LogPart part;
  part.job = job.id;
  part.app = app;
  part.offset = offset;
  part.task = task;
  absl::StatusOr<LogText> text =
      parts_.submitter->ReadLogAsUser(UserOf(job), part, request_id);
  if (text.ok() || absl::IsNotFound(text.status())) return text;
  return HideError(text.status(), request_id, job_messages::kLogUnreadable);
}

std::optional<ActiveJobs::Changed> Jobs::MarkStopping(
    const Job& job, std::optional<Job>* before) {
  return active_.Change(job.id, [&](ActiveJob& active) {
    if (active.job.state != v1::JOB_STATE_STOPPING) *before = active.job;
    // The id was set meanwhile: one of both sees the mark.
    if (!InSlurm(job) && InSlurm(active.job)) {
      cancel_queue_.Enqueue(active.job, active.job.slurm_id, "stopped");
    }
    SetStopping(parts_.clock->Now(), &active);
    active.job.reason.clear();
  });
}

void Jobs::DeferStop(const Job& job) {
  active_.Change(job.id, [&](ActiveJob& active) {
    // Another, rejected stop may have reverted it.
    SetStopping(parts_.clock->Now(), &active);
    active.cancel_pending = true;
    active.job.reason = MakeText(job_lifecycle_messages::kStopKept);
  });
}

void Jobs::ConfirmStop(const Job& job) {
  active_.Change(job.id, [&](ActiveJob& active) {
    SetStopping(parts_.clock->Now(), &active);
    active.stop_accepted = true;
  });
}

void Jobs::UnmarkStopping(const Job& before) {
  active_.Change(before.id, [&](ActiveJob& active) {
    if (active.job.state != v1::JOB_STATE_STOPPING || active.cancel_pending ||
        active.stop_accepted) {
      return;
    }
    active.job.state = before.state;
    active.job.reason = before.reason;
    active.job.idle = before.idle;
    active.job.stopped_by = before.stopped_by;
  });
}

absl::StatusOr<Job> Jobs::AwaitStop(
    const Job& job, const std::optional<ActiveJobs::Changed>& marked,
    bool accepted, const std::string& request_id) {
  // Includes the changes made since.
  const auto changed =
      marked ? active_.Change(job.id, [](ActiveJob&) {}) : std::nullopt;
  if (!changed) return active_.Find(job.id).value_or(job);
  const absl::Status written = active_.Wait(changed->ticket);
  // If Slurm has accepted the stop, a full disk does not undo it, and the
  // writer retries. A stop that Slurm has not accepted yet depends on the
  // record.
  if (!written.ok() && !accepted) {
    return HideError(written, request_id, job_messages::kStopNotRecorded);
  }
  if (!written.ok()) {
    LogWarning("stop not recorded yet", {{"request", request_id},
                                         {"job", job.id.value()},
                                         {"error", StatusText(written)}});
  }
  return changed->job;
}

absl::Status Jobs::MayBegin(const Job& job) {
  RETURN_IF_ERROR(CheckMayBegin(job));
  if (job.spec.project.empty()) return absl::OkStatus();
  if (parts_.projects == nullptr) return ProjectsNotOffered();
  const absl::Status may =
      parts_.projects->ForJob(job.spec.project, job.owner_uid).status();
  if (may.ok()) return may;
  if (absl::IsNotFound(may) || absl::IsFailedPrecondition(may)) {
    // For an array this is one task; running tasks continue.
    if (IsArray(job)) return absl::FailedPreconditionError(may.message());
    // Its agent ends it now; the user must be able to read why.
    active_.Change(job.id, [&](ActiveJob& active) {
      if (active.job.state != v1::JOB_STATE_STOPPING) {
        active.stopping_since = parts_.clock->Now();
      }
      active.job.state = v1::JOB_STATE_STOPPING;
      active.job.reason = TextOfStatus(may);
    });
    return absl::FailedPreconditionError(may.message());
  }
  return MakeError(job_messages::kProjectsUnavailable);
}

void Jobs::Sweep() {
  const absl::StatusOr<int64_t> forgotten =
      store_.DeleteEnded(parts_.clock->Now() - kEndedKeptFor, kEndedKept);
  if (!forgotten.ok()) {
    LogError("deleting old jobs failed",
             {{"error", StatusText(forgotten.status())}});
  } else if (*forgotten > 0) {
    LogInfo("old jobs deleted", {{"jobs", *forgotten}});
  }
}

absl::StatusOr<Job> Jobs::Extend(const Session& caller, const JobId& id,
                                 absl::Duration by, const std::string& key,
                                 const std::string& request_id) {
  RETURN_IF_ERROR(Get(caller, id, request_id).status());
  return extensions_.Extend(caller, id, by, key, request_id);
}

absl::StatusOr<Job> Jobs::Hold(const Session& caller, const JobId& id,
                               const std::string& request_id) {
  ASSIGN_OR_RETURN(const Job job, Get(caller, id, request_id));
  return holds_.Hold(job, request_id);
}

absl::StatusOr<Job> Jobs::Release(const Session& caller, const JobId& id,
                                  const std::string& request_id) {
  ASSIGN_OR_RETURN(const Job job, Get(caller, id, request_id));
  if (const AdminAction* hold = AdminHoldOf(job)) {
    return MakeError(
        job_messages::kHeldByAdministrator,
        {{"administrator", hold->administrator}, {"reason", hold->reason}});
  }
  return holds_.Release(job, request_id);
}

absl::StatusOr<Job> Jobs::KeepAlive(const Session& caller, const JobId& id,
                                    const std::string& request_id) {
  RETURN_IF_ERROR(Get(caller, id, request_id).status());
  return idle_.KeepAlive(id);
}

}  // namespace carme::backend
