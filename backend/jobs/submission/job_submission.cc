#include "backend/jobs/submission/job_submission.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/jobs/diagnosis/pending_reason.h"
#include "backend/jobs/model/job_owner.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/jobs/model/slurm_submission.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/submission/dependencies.h"
#include "backend/jobs/submission/template_offer.h"
#include "backend/policy/cluster/reservation.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "backend/store/database_error.h"
#include "common/crypto/hash.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

Job NewJob(const Session& caller, JobSpec spec, std::string account,
           absl::Time now) {
  Job job;
  job.id = NewJobId();
  job.owner = caller.username;
  job.owner_uid = caller.uid;
  job.spec = std::move(spec);
  job.account = std::move(account);
  job.array = NewArray(job.spec);
  // Precision of the database, so that a job is the same before and after.
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

// Additional nodes are in the project of the job that they join.
const std::string& ProjectIn(const PolicyInput& input) {
  return input.joined ? input.joined->spec.project : input.spec.project;
}

Violation LimitsUnknown(const absl::Status& limits,
                        const Quotas::Asker& asker) {
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

}  // namespace

absl::Status ProjectsNotOffered() {
  return absl::FailedPreconditionError("projects are not offered here");
}

std::string JobSubmission::ImageProblem(const Session& caller,
                                        const JobSpec& spec,
                                        const std::vector<Image>& images) {
  const bool usable =
      std::any_of(images.begin(), images.end(),
                  [&](const Image& image) { return image.id == spec.image; });
  if (spec.image.empty() || usable) return "";
  return parts_.images->WhyNot(PersonOf(caller), spec.image);
}

absl::StatusOr<RenderedEnvironment> JobSubmission::ResolveEnvironment(
    const Session& caller, const JobSpec& spec) {
  // Additional nodes use the environment of the job that they join.
  if (spec.environment.empty() || !spec.companion_of.empty()) {
    return RenderedEnvironment();
  }
  if (parts_.environments != nullptr) {
    return parts_.environments->Resolve(caller, spec.environment);
  }
  return absl::InvalidArgumentError("environments are not offered here");
}

Quotas::Asker JobSubmission::AskerOf(const Session& caller) const {
  if (parts_.quotas == nullptr) return {};
  return parts_.quotas->AskerOf(caller);
}

absl::Status JobSubmission::AddQuotas(const Quotas::Asker& asker,
                                      PolicyInput* input) {
  if (parts_.quotas == nullptr) return absl::OkStatus();
  // Users without access to the project must not learn its limits.
  const std::string project = input->project.ok() ? ProjectIn(*input) : "";
  ASSIGN_OR_RETURN(input->quotas,
                   parts_.quotas->For(*parts_.database, asker, project));
  return absl::OkStatus();
}

std::optional<JoinedJob> JobSubmission::FindJoinedJob(const Session& caller,
                                                      const JobSpec& spec) {
  if (!IsJobId(spec.companion_of)) return std::nullopt;
  const JobId id(spec.companion_of);
  const std::optional<Job> job = parts_.active->Find(id);
  if (!job || HasEnded(*job) || !IsOwner(caller, *job)) return std::nullopt;
  JoinedJob joined{.spec = job->spec,
                   .ready = job->state == JobState::kReady,
                   .nodes = job->nodes,
                   .gpus = UseOf(job->spec).gpus};
  if (job->ends_at) joined.left = *job->ends_at - parts_.clock->Now();
  for (const Job& linked : parts_.active->JobsLinkedTo(id)) {
    joined.nodes.insert(joined.nodes.end(), linked.nodes.begin(),
                        linked.nodes.end());
    joined.gpus += UseOf(linked.spec).gpus;
    joined.another_waits =
        joined.another_waits || (linked.state != JobState::kReady &&
                                 linked.state != JobState::kStopping);
  }
  return joined;
}

absl::StatusOr<Projects::JobSettings> JobSubmission::TermsOf(
    const std::string& project, Uid uid) {
  if (project.empty()) return Projects::JobSettings();
  if (parts_.projects == nullptr) return ProjectsNotOffered();
  return parts_.projects->ForJob(*parts_.database, project, uid);
}

PolicyInput JobSubmission::BuildPolicyInput(const Session& caller,
                                            const JobSpec& spec, int jobs_now,
                                            const SlurmSnapshot& cluster,
                                            const std::vector<Image>& images) {
  return {
      .spec = spec,
      .username = caller.username,
      .uid = caller.uid,
      .role = caller.role,
      .limits = parts_.config->LimitsOf(caller.role),
      .jobs_now = jobs_now,
      .apps = &parts_.config->apps,
      .images = &images,
      .cluster = &cluster,
      .environment = {},
      .joined = FindJoinedJob(caller, spec),
      .environment_image = {},
      .project = {},
      .reservation =
          UsableReservation(cluster, spec.reservation, caller.username),
      .resolved = ResolveDependencies(caller, spec, *parts_.active, cluster),
      .max_array_tasks = parts_.config->max_array_tasks,
      .now = parts_.clock->Now()};
}

SlurmSnapshotPtr JobSubmission::RefreshFor(const Decision& refused) {
  if (!refused.rests_on_resources && !refused.rests_on_accounting) {
    return nullptr;
  }
  Scheduler& scheduler = *parts_.scheduler;
  if (!scheduler.Snapshot()->reachable) return nullptr;
  if (refused.rests_on_resources) {
    scheduler.RefreshResources(kRefreshTimeout);
  }
  const bool is_fresh = !refused.rests_on_accounting ||
                        scheduler.RefreshAccounting(kRefreshTimeout);
  SlurmSnapshotPtr seen = scheduler.Snapshot();
  if (is_fresh) return seen;
  // Slurm itself decides when the job is submitted.
  auto without = std::make_shared<SlurmSnapshot>(*seen);
  without->accounting = nullptr;
  return without;
}

Decision JobSubmission::Preview(const Session& caller, const JobSpec& spec) {
  Decision decision = PreviewOn(*parts_.scheduler->Snapshot(), caller, spec);
  const SlurmSnapshotPtr fresh = RefreshFor(decision);
  return fresh == nullptr ? decision : PreviewOn(*fresh, caller, spec);
}

Decision JobSubmission::PreviewOn(const SlurmSnapshot& cluster,
                                  const Session& caller, const JobSpec& spec) {
  const std::vector<Image> images = parts_.images->UsableBy(PersonOf(caller));
  PolicyInput input = BuildPolicyInput(
      caller, spec, parts_.active->CountOf(caller.username), cluster, images);
  const absl::StatusOr<RenderedEnvironment> environment =
      ResolveEnvironment(caller, spec);
  input.image_problem = ImageProblem(caller, spec, images);
  input.environment = environment.status();
  if (environment.ok()) input.environment_image = environment->image;
  const std::string& project = ProjectIn(input);
  if (!project.empty()) {
    const absl::StatusOr<Projects::JobSettings> terms =
        parts_.projects == nullptr
            ? absl::StatusOr<Projects::JobSettings>(ProjectsNotOffered())
            : parts_.projects->ForJob(project, caller.uid);
    input.project = terms.status();
    if (terms.ok()) input.account = terms->account;
  }
  if (input.project.ok()) {
    input.templates = TemplatesNow(parts_.database, project,
                                   parts_.active->Of(caller.username));
  }
  const Quotas::Asker asker = AskerOf(caller);
  const absl::Status limits = parts_.database->Query(
      [&](Database&) { return AddQuotas(asker, &input); });
  Decision decision = DecideFor(caller.username, std::move(input));
  if (!limits.ok()) decision.violations.push_back(LimitsUnknown(limits, asker));
  return decision;
}

absl::StatusOr<Job> JobSubmission::Submit(const Session& caller,
                                          const JobSpec& spec,
                                          const std::string& key,
                                          const AuditEvent& call) {
  ASSIGN_OR_RETURN(const Recorded recorded,
                   RecordActive(caller, spec, key, call));
  const Job& job = recorded.inserted.job;
  if (!recorded.inserted.fresh)
    return parts_.active->Find(job.id).value_or(job);
  // Usually durable with the record, so that this does not wait.
  const absl::Status noted = parts_.audit->Wait(recorded.entry);
  const absl::StatusOr<SlurmJobId> answer =
      noted.ok() ? recorded.prepared->SubmitAsUser() : noted;
  absl::StatusOr<Job> settled = ApplyResult(job, answer, call.request_id);
  if (settled.ok() && InSlurm(*settled)) {
    parts_.scheduler->RefreshJob(settled->slurm_id);
  } else {
    parts_.scheduler->RefreshSoon();
  }
  return settled;
}

absl::StatusOr<JobSubmission::Recorded> JobSubmission::RecordActive(
    const Session& caller, const JobSpec& spec, const std::string& key,
    const AuditEvent& call) {
  const absl::MutexLockMaybe joining(spec.companion_of.empty() ? nullptr
                                                               : &joining_);
  ASSIGN_OR_RETURN(Recorded recorded, Record(caller, spec, key, call));
  if (recorded.inserted.fresh) {
    parts_.active->Add(recorded.inserted.job, parts_.clock->Now());
  }
  return recorded;
}

absl::StatusOr<JobSubmission::Recorded> JobSubmission::Record(
    const Session& caller, const JobSpec& spec, const std::string& key,
    const AuditEvent& call) {
  Decision decided;
  absl::StatusOr<Recorded> recorded = RecordWithSnapshot(
      *parts_.scheduler->Snapshot(), caller, spec, key, call, &decided);
  if (recorded.ok()) return recorded;
  const SlurmSnapshotPtr fresh = RefreshFor(decided);
  if (fresh == nullptr) return recorded;
  return RecordWithSnapshot(*fresh, caller, spec, key, call, &decided);
}

absl::StatusOr<JobSubmission::Recorded> JobSubmission::RecordWithSnapshot(
    const SlurmSnapshot& cluster, const Session& caller, const JobSpec& spec,
    const std::string& key, const AuditEvent& call, Decision* decided) {
  // Not in the transaction: may query the directory and the database.
  const std::vector<Image> images = parts_.images->UsableBy(PersonOf(caller));
  const std::string image_problem = ImageProblem(caller, spec, images);
  const absl::StatusOr<RenderedEnvironment> environment =
      ResolveEnvironment(caller, spec);
  const Quotas::Asker asker = AskerOf(caller);
  parts_.active->FlushEnds(caller.username);
  absl::Status refused;
  std::unique_ptr<PreparedSubmission> prepared;
  AuditLog::Ticket entry = 0;
  absl::StatusOr<JobStore::Inserted> inserted = parts_.store->Insert(
      caller.username, key,
      [&](int live_jobs) -> absl::StatusOr<Job> {
        PolicyInput input =
            BuildPolicyInput(caller, spec, live_jobs, cluster, images);
        input.image_problem = image_problem;
        input.environment = environment.status();
        if (environment.ok()) input.environment_image = environment->image;
        // The state in this transaction.
        const absl::StatusOr<Projects::JobSettings> terms =
            TermsOf(ProjectIn(input), caller.uid);
        input.project = terms.status();
        if (terms.ok()) {
          input.account = terms->account;
          input.templates =
              TemplatesIn(*parts_.database, ProjectIn(input), caller.username);
        }
        const absl::Status limits = AddQuotas(asker, &input);
        Decision decision = DecideFor(caller.username, std::move(input));
        if (!limits.ok())
          decision.violations.push_back(LimitsUnknown(limits, asker));
        refused = StatusOf(decision.violations);
        *decided = decision;
        RETURN_IF_ERROR(refused);
        Job job = NewJob(caller, decision.spec, decision.account,
                         parts_.clock->Now());
        prepared = parts_.submitter->Prepare(
            PosixUser{job.owner, job.owner_uid}, SubmissionOf(job.id, decision),
            call.request_id);
        entry = parts_.audit->Record(AdmissionOf(job, call));
        return job;
      },
      environment.value_or(RenderedEnvironment()), Sha256(SerializeSpec(spec)));
  RETURN_IF_ERROR(refused);
  // Database errors are for the log.
  if (absl::IsAlreadyExists(inserted.status()) &&
      !IsDatabaseError(inserted.status())) {
    return inserted.status();
  }
  if (!inserted.ok()) {
    return HideError(inserted.status(), call.request_id,
                     "the job cannot be recorded now: try again");
  }
  return Recorded{*std::move(inserted), std::move(prepared), entry};
}

absl::StatusOr<Job> JobSubmission::ApplyResult(
    const Job& job, const absl::StatusOr<SlurmJobId>& answer,
    const std::string& request_id) {
  if (answer.ok()) return OnAccepted(job, *answer, request_id);
  if (IsPermanentRejection(answer.status().code())) {
    return OnRejected(job, answer.status(), request_id);
  }
  LogWarning("submission result unknown",
             {{"request", request_id},
              {"user", job.owner},
              {"job", job.id.value()},
              {"error", answer.status().ToString()}});
  const auto changed = parts_.active->Change(job.id, [](ActiveJob& active) {
    active.submitting = false;
    if (!InSlurm(active.job))
      active.job.reason = "waiting for Slurm to respond";
  });
  return changed ? changed->job : job;
}

absl::StatusOr<Job> JobSubmission::OnAccepted(const Job& job,
                                              SlurmJobId slurm_job,
                                              const std::string& request_id) {
  LogInfo("job submitted", {{"request", request_id},
                            {"user", job.owner},
                            {"job", job.id.value()},
                            {"slurm_job", slurm_job.value()}});
  // Not waited for: until the id is stored, a restart finds the job by the
  // comment in Slurm.
  const auto changed = parts_.active->Change(job.id, [&](ActiveJob& active) {
    active.submitting = false;
    active.known_since = parts_.clock->Now();
    active.job.slurm_id = slurm_job;
    if (active.job.state == JobState::kSubmitting) {
      active.job.state = JobState::kPending;
      active.job.reason = PendingReason("");
    }
  });
  if (!changed) return job;
  parts_.scheduler->Track(slurm_job);
  if (changed->job.state == JobState::kStopping) {
    parts_.cancel_queue->Enqueue(changed->job, slurm_job,
                                 "stopped while it was submitted");
  }
  return changed->job;
}

absl::Status JobSubmission::OnRejected(const Job& job, const absl::Status& why,
                                       const std::string& request_id) {
  LogInfo("job refused", {{"request", request_id},
                          {"user", job.owner},
                          {"job", job.id.value()},
                          {"error", why.ToString()}});
  const absl::Status shown = ClientOperationError(why);
  const auto changed = parts_.active->Change(job.id, [&](ActiveJob& active) {
    active.submitting = false;
    active.job = Ended(active.job, JobEnd::kNotSubmitted,
                       std::string(shown.message()), parts_.clock->Now());
  });
  // Waited for: the same key must be free when the client tries again.
  if (changed) parts_.active->Wait(changed->ticket).IgnoreError();
  return shown;
}

}  // namespace carme::backend
