#include "backend/jobs/jobs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "backend/jobs/array_life.h"
#include "backend/jobs/awaited_jobs.h"
#include "backend/jobs/pending_reason.h"
#include "backend/jobs/submission.h"
#include "backend/jobs/template_offer.h"
#include "backend/policy/array.h"
#include "backend/policy/reservation.h"
#include "backend/slurm/act_error.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr int kEndedShown = 20;
constexpr int kEndedKept = 200;  // of each owner
constexpr absl::Duration kEndedKeptFor = absl::Hours(24 * 90);

PosixUser UserOf(const Job& job) { return {job.owner, job.owner_uid}; }

Job NewJob(const Session& caller, JobSpec spec, absl::Time now) {
  Job job;
  job.id = NewJobId();
  job.owner = caller.username;
  job.owner_uid = caller.uid;
  job.spec = std::move(spec);
  job.array = NewArray(job.spec);
  // What the table can hold, so that a job is the same before and after.
  job.created_at = absl::FromUnixMicros(absl::ToUnixMicros(now));
  return job;
}

AuditEvent AdmissionOf(const Job& job, const AuditEvent& call) {
  AuditEvent event = call;
  event.act = "admit";
  event.subject = job.id.value();
  event.decision = AuditDecision::kAllow;
  event.result = "ok";
  return event;
}

absl::Status NoProjects() {
  return absl::FailedPreconditionError("projects are not offered here");
}

// A companion is in the project of the job that it joins.
const std::string& ProjectIn(const Question& question) {
  return question.joined ? question.joined->spec.project
                         : question.spec.project;
}

// What a job is held against could not be told: it is refused. The database's
// own words are for the log.
Violation Unknown(const absl::Status& limits, const Quotas::Asker& asker) {
  LogWarning("limits not read", {{"error", limits.ToString()}});
  return {Refusal::kUnavailable,
          "",
          "limits",
          "",
          "carme",
          limits == asker.groups.status()
              ? std::string(limits.message())
              : "limits cannot be looked up now: try again"};
}

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

bool Owns(const Session& caller, const Job& job) {
  return job.owner == caller.username && job.owner_uid == caller.uid;
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

Question Jobs::QuestionOf(const Session& caller, const JobSpec& spec,
                          int jobs_now, const SlurmSnapshot& cluster,
                          const std::vector<Image>& images) {
  return {.spec = spec,
          .uid = caller.uid,
          .role = caller.role,
          .limits = config_.LimitsOf(caller.role),
          .jobs_now = jobs_now,
          .apps = &config_.apps,
          .images = &images,
          .cluster = &cluster,
          .environment = {},
          .joined = JoinedBy(caller, spec),
          .environment_image = {},
          .project = {},
          .reservation =
              UsableReservation(cluster, spec.reservation, caller.username),
          .awaited = AwaitedBy(caller, spec, live_, cluster),
          .most_array_tasks = config_.max_array_tasks,
          .now = parts_.clock->Now()};
}

Quotas::Asker Jobs::AskerOf(const Session& caller) const {
  if (parts_.quotas == nullptr) return {};
  return parts_.quotas->AskerOf(caller);
}

absl::Status Jobs::AddQuotas(const Quotas::Asker& asker, Question* question) {
  if (parts_.quotas == nullptr) return absl::OkStatus();
  // Whoever may not use the project learns nothing of its limits.
  const std::string project =
      question->project.ok() ? ProjectIn(*question) : "";
  ASSIGN_OR_RETURN(question->quotas,
                   parts_.quotas->For(*parts_.database, asker, project));
  return absl::OkStatus();
}

std::optional<JoinedJob> Jobs::JoinedBy(const Session& caller,
                                        const JobSpec& spec) {
  if (!IsJobId(spec.companion_of)) return std::nullopt;
  const JobId id(spec.companion_of);
  const std::optional<Job> job = live_.Find(id);
  if (!job || HasEnded(*job) || !Owns(caller, *job)) return std::nullopt;
  JoinedJob joined{.spec = job->spec,
                   .ready = job->state == JobState::kReady,
                   .nodes = job->nodes,
                   .gpus = UseOf(job->spec).gpus};
  if (job->ends_at) joined.left = *job->ends_at - parts_.clock->Now();
  for (const Job& companion : live_.CompanionsOf(id)) {
    joined.nodes.insert(joined.nodes.end(), companion.nodes.begin(),
                        companion.nodes.end());
    joined.gpus += UseOf(companion.spec).gpus;
    joined.another_waits =
        joined.another_waits || (companion.state != JobState::kReady &&
                                 companion.state != JobState::kStopping);
  }
  return joined;
}

absl::StatusOr<JobEnvironment> Jobs::Resolve(const Session& caller,
                                             const JobSpec& spec) {
  // A companion has that of the job that it joins.
  if (spec.environment.empty() || !spec.companion_of.empty()) {
    return JobEnvironment();
  }
  if (parts_.environments != nullptr) {
    return parts_.environments->Resolve(caller, spec.environment);
  }
  return absl::InvalidArgumentError("environments are not offered here");
}

absl::Status Jobs::MayBegin(const Job& job) {
  if (job.spec.project.empty()) return absl::OkStatus();
  if (parts_.projects == nullptr) return NoProjects();
  const absl::Status may =
      parts_.projects->ForJob(job.spec.project, job.owner_uid).status();
  if (may.ok()) return may;
  if (absl::IsNotFound(may) || absl::IsFailedPrecondition(may)) {
    // Of an array it is one task, and those that run go on.
    if (IsArray(job)) return absl::FailedPreconditionError(may.message());
    // Its agent ends it now; its user shall read why.
    live_.Change(job.id, [&](LiveJob& live) {
      if (live.job.state != JobState::kStopping) {
        live.stopping_since = parts_.clock->Now();
      }
      live.job.state = JobState::kStopping;
      live.job.reason = std::string(may.message());
    });
    return absl::FailedPreconditionError(may.message());
  }
  return absl::UnavailableError("projects cannot be looked up now: try again");
}

Decision Jobs::Preview(const Session& caller, const JobSpec& spec) {
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  const std::vector<Image> images = parts_.images->UsableBy(PersonOf(caller));
  Question question = QuestionOf(caller, spec, live_.CountOf(caller.username),
                                 *cluster, images);
  const absl::StatusOr<JobEnvironment> environment = Resolve(caller, spec);
  question.environment = environment.status();
  if (environment.ok()) question.environment_image = environment->image;
  const std::string& project = ProjectIn(question);
  if (!project.empty()) {
    const absl::StatusOr<Projects::Terms> terms =
        parts_.projects == nullptr
            ? absl::StatusOr<Projects::Terms>(NoProjects())
            : parts_.projects->ForJob(project, caller.uid);
    question.project = terms.status();
    if (terms.ok()) question.account = terms->account;
  }
  if (question.project.ok()) {
    question.templates =
        TemplatesNow(parts_.database, project, live_.Of(caller.username));
  }
  const Quotas::Asker asker = AskerOf(caller);
  const absl::Status limits = parts_.database->Query(
      [&](Database&) { return AddQuotas(asker, &question); });
  Decision decision = DecideFor(caller.username, std::move(question));
  if (!limits.ok()) decision.violations.push_back(Unknown(limits, asker));
  return decision;
}

absl::StatusOr<Projects::Terms> Jobs::TermsOf(const std::string& project,
                                              Uid uid) {
  if (project.empty()) return Projects::Terms();
  if (parts_.projects == nullptr) return NoProjects();
  return parts_.projects->ForJob(*parts_.database, project, uid);
}

absl::StatusOr<Jobs::Recorded> Jobs::Record(const Session& caller,
                                            const JobSpec& spec,
                                            const std::string& key,
                                            const AuditEvent& call) {
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  // Not within the transaction: the directory may be asked, and the database.
  const std::vector<Image> images = parts_.images->UsableBy(PersonOf(caller));
  const absl::StatusOr<JobEnvironment> environment = Resolve(caller, spec);
  const Quotas::Asker asker = AskerOf(caller);
  live_.SettleEnds(caller.username);
  absl::Status refused;
  std::unique_ptr<AnnouncedSubmission> announced;
  AuditLog::Ticket entry = 0;
  absl::StatusOr<JobStore::Inserted> inserted = store_.Insert(
      caller.username, key,
      [&](int live_jobs) -> absl::StatusOr<Job> {
        Question question =
            QuestionOf(caller, spec, live_jobs, *cluster, images);
        question.environment = environment.status();
        if (environment.ok()) question.environment_image = environment->image;
        // As it stands in this transaction.
        const absl::StatusOr<Projects::Terms> terms =
            TermsOf(ProjectIn(question), caller.uid);
        question.project = terms.status();
        if (terms.ok()) {
          question.account = terms->account;
          question.templates = TemplatesIn(
              *parts_.database, ProjectIn(question), caller.username);
        }
        const absl::Status limits = AddQuotas(asker, &question);
        Decision decision = DecideFor(caller.username, std::move(question));
        if (!limits.ok()) decision.violations.push_back(Unknown(limits, asker));
        refused = StatusOf(decision.violations);
        RETURN_IF_ERROR(refused);
        Job job = NewJob(caller, decision.spec, parts_.clock->Now());
        announced = parts_.submitter->Announce(
            UserOf(job), SubmissionOf(job.id, decision), call.request_id);
        entry = parts_.audit->Record(AdmissionOf(job, call));
        return job;
      },
      environment.value_or(JobEnvironment()));
  RETURN_IF_ERROR(refused);
  if (!inserted.ok()) {
    return HiddenError(inserted.status(), call.request_id,
                       "the job cannot be recorded now: try again");
  }
  return Recorded{*std::move(inserted), std::move(announced), entry};
}

absl::StatusOr<Jobs::Recorded> Jobs::RecordAlive(const Session& caller,
                                                 const JobSpec& spec,
                                                 const std::string& key,
                                                 const AuditEvent& call) {
  const absl::MutexLockMaybe joining(spec.companion_of.empty() ? nullptr
                                                               : &joining_);
  ASSIGN_OR_RETURN(Recorded recorded, Record(caller, spec, key, call));
  if (recorded.inserted.fresh) {
    live_.Add(recorded.inserted.job, parts_.clock->Now());
  }
  return recorded;
}

absl::StatusOr<Job> Jobs::Submit(const Session& caller, const JobSpec& spec,
                                 const std::string& key,
                                 const AuditEvent& call) {
  ASSIGN_OR_RETURN(const Recorded recorded,
                   RecordAlive(caller, spec, key, call));
  const Job& job = recorded.inserted.job;
  if (!recorded.inserted.fresh) return live_.Find(job.id).value_or(job);
  // As a rule it went with the record, and nothing is waited for.
  const absl::Status noted = parts_.audit->Wait(recorded.entry);
  const absl::StatusOr<SlurmJobId> answer =
      noted.ok() ? recorded.announced->SubmitAsUser() : noted;
  absl::StatusOr<Job> settled = Settle(job, answer, call.request_id);
  parts_.scheduler->Hurry();
  return settled;
}

absl::StatusOr<Job> Jobs::Settle(const Job& job,
                                 const absl::StatusOr<SlurmJobId>& answer,
                                 const std::string& request_id) {
  if (answer.ok()) return Accepted(job, *answer, request_id);
  if (IsDefiniteNo(answer.status().code())) {
    return Refused(job, answer.status(), request_id);
  }
  LogWarning("submission's outcome is not known",
             {{"request", request_id},
              {"user", job.owner},
              {"job", job.id.value()},
              {"error", answer.status().ToString()}});
  const auto changed = live_.Change(job.id, [](LiveJob& live) {
    live.submitting = false;
    if (!InSlurm(live.job)) live.job.reason = "waiting for Slurm's answer";
  });
  return changed ? changed->job : job;
}

absl::StatusOr<Job> Jobs::Accepted(const Job& job, SlurmJobId slurm_job,
                                   const std::string& request_id) {
  LogInfo("job submitted", {{"request", request_id},
                            {"user", job.owner},
                            {"job", job.id.value()},
                            {"slurm_job", slurm_job.value()}});
  // Not waited for: until the id is in the table, a restart finds it by the
  // comment of the Slurm job.
  const auto changed = live_.Change(job.id, [&](LiveJob& live) {
    live.submitting = false;
    live.known_since = parts_.clock->Now();
    live.job.slurm_id = slurm_job;
    if (live.job.state == JobState::kSubmitting) {
      live.job.state = JobState::kPending;
      live.job.reason = PendingReason("");
    }
  });
  if (!changed) return job;
  if (changed->job.state == JobState::kStopping) {
    canceller_.Ask(changed->job, slurm_job, "stopped while it was submitted");
  }
  return changed->job;
}

absl::Status Jobs::Refused(const Job& job, const absl::Status& why,
                           const std::string& request_id) {
  LogInfo("job refused", {{"request", request_id},
                          {"user", job.owner},
                          {"job", job.id.value()},
                          {"why", why.ToString()}});
  const absl::Status shown = ShownActError(why);
  const auto changed = live_.Change(job.id, [&](LiveJob& live) {
    live.submitting = false;
    live.job = Ended(live.job, JobEnd::kNotSubmitted,
                     std::string(shown.message()), parts_.clock->Now());
  });
  // Waited for: the same key must be free when the client tries again.
  if (changed) live_.Wait(changed->ticket).IgnoreError();
  return shown;
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
  parts_.scheduler->Hurry();
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
