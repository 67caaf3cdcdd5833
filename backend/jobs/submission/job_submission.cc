#include "backend/jobs/submission/job_submission.h"

#include <memory>
#include <utility>

#include "backend/jobs/diagnosis/pending_reason.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/jobs/model/slurm_submission.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/submission/messages.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "backend/store/database_error.h"
#include "common/crypto/hash.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
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

}  // namespace

JobSubmission::JobSubmission(const Parts& parts)
    : parts_(parts),
      policy_({.database = parts.database,
               .scheduler = parts.scheduler,
               .clock = parts.clock,
               .images = parts.images,
               .environments = parts.environments,
               .projects = parts.projects,
               .quotas = parts.quotas,
               .config = parts.config,
               .active = parts.active,
               .maintenance = parts.maintenance,
               .node_history = parts.node_history}),
      preparer_(parts.submitter) {}

absl::StatusOr<Job> JobSubmission::Submit(const Request& request) {
  ASSIGN_OR_RETURN(Admission admission, Admit(request));
  const Job& job = admission.job;
  if (!admission.is_fresh) return parts_.active->Find(job.id).value_or(job);
  absl::StatusOr<Job> recorded =
      RecordResult(job, Commit(admission), request.call.request_id);
  if (recorded.ok() && InSlurm(*recorded)) {
    parts_.scheduler->RefreshJob(recorded->slurm_id);
  } else {
    parts_.scheduler->RefreshSoon();
  }
  return recorded;
}

absl::StatusOr<JobSubmission::Admission> JobSubmission::Admit(
    const Request& request) {
  const absl::MutexLockMaybe joining(
      request.spec.linked_to.empty() ? nullptr : &joining_);
  ASSIGN_OR_RETURN(Admission admission, Reserve(request));
  if (admission.is_fresh) {
    parts_.active->Add(admission.job, parts_.clock->Now());
  }
  return admission;
}

absl::StatusOr<JobSubmission::Admission> JobSubmission::Reserve(
    const Request& request) {
  Decision decided;
  absl::StatusOr<Admission> admission =
      ReserveOn(parts_.scheduler->Snapshot(), request, &decided);
  if (admission.ok()) return admission;
  SlurmSnapshotPtr fresh = policy_.RefreshFor(decided);
  if (fresh == nullptr) return admission;
  return ReserveOn(std::move(fresh), request, &decided);
}

absl::StatusOr<JobSubmission::Admission> JobSubmission::ReserveOn(
    SlurmSnapshotPtr cluster, const Request& request, Decision* decided) {
  const auto& [caller, spec, key, call, resubmissions] = request;
  const SubmissionPolicy::Facts facts =
      policy_.GatherFacts(caller, spec, std::move(cluster));
  parts_.active->FlushEnds(caller.username);
  absl::Status refused;
  Admission admission;
  const auto admit = [&](int live_jobs) -> absl::StatusOr<Job> {
    *decided = policy_.DecideInTransaction(*parts_.database, request.caller,
                                           request.spec, facts, live_jobs);
    refused = StatusOf(decided->violations);
    RETURN_IF_ERROR(refused);
    Job job = NewJob(request.caller, decided->spec, decided->account,
                     parts_.clock->Now());
    admission.preparation = preparer_.Start({job.owner, job.owner_uid},
                                            SubmissionOf(job.id, *decided),
                                            request.call.request_id);
    admission.entry = parts_.audit->Record(AdmissionOf(job, request.call));
    return job;
  };
  absl::StatusOr<JobStore::Inserted> inserted = parts_.store->Insert(
      caller.username, key, admit,
      facts.environment.value_or(RenderedEnvironment()),
      resubmissions > 0 ? "" : Sha256(SerializeSpec(spec)), resubmissions);
  RETURN_IF_ERROR(refused);
  if (inserted.ok()) {
    admission.job = std::move(inserted->job);
    admission.is_fresh = inserted->fresh;
    return admission;
  }
  // Aborts the submission before the client is answered.
  if (admission.preparation.valid()) admission.preparation.get().reset();
  // Database errors are for the log.
  if (absl::IsAlreadyExists(inserted.status()) &&
      !IsDatabaseError(inserted.status())) {
    return inserted.status();
  }
  return HideError(inserted.status(), call.request_id,
                   job_submission_messages::kNotRecorded);
}

absl::StatusOr<SlurmJobId> JobSubmission::Commit(Admission& admission) {
  const std::unique_ptr<PreparedSubmission> prepared =
      admission.preparation.get();
  // Usually durable with the record, so that this does not wait.
  RETURN_IF_ERROR(parts_.audit->Wait(admission.entry));
  return prepared->SubmitAsUser();
}

absl::StatusOr<Job> JobSubmission::RecordResult(
    const Job& job, const absl::StatusOr<SlurmJobId>& result,
    const std::string& request_id) {
  if (result.ok()) return RecordAccepted(job, *result, request_id);
  if (IsPermanentRejection(result.status().code())) {
    return RecordRejected(job, result.status(), request_id);
  }
  return RecordUnknown(job, result.status(), request_id);
}

Job JobSubmission::RecordAccepted(const Job& job, SlurmJobId slurm_job,
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
    if (active.job.state == v1::JOB_STATE_SUBMITTING) {
      active.job.state = v1::JOB_STATE_PENDING;
      active.job.reason = PendingReason("");
    }
  });
  if (!changed) return job;
  parts_.scheduler->Track(slurm_job);
  if (changed->job.state == v1::JOB_STATE_STOPPING) {
    parts_.cancel_queue->Enqueue(changed->job, slurm_job,
                                 "stopped while it was submitted");
  }
  return changed->job;
}

absl::Status JobSubmission::RecordRejected(const Job& job,
                                           const absl::Status& why,
                                           const std::string& request_id) {
  LogInfo("job refused", {{"request", request_id},
                          {"user", job.owner},
                          {"job", job.id.value()},
                          {"error", StatusText(why)}});
  const absl::Status shown = ClientOperationError(why);
  const auto changed = parts_.active->Change(job.id, [&](ActiveJob& active) {
    active.submitting = false;
    active.job = Ended(active.job, v1::JOB_END_NOT_SUBMITTED,
                       TextOfStatus(shown), parts_.clock->Now());
  });
  // Waited for: the same key must be free when the client tries again.
  if (changed) parts_.active->Wait(changed->ticket).IgnoreError();
  return shown;
}

Job JobSubmission::RecordUnknown(const Job& job, const absl::Status& why,
                                 const std::string& request_id) {
  LogWarning("submission result unknown", {{"request", request_id},
                                           {"user", job.owner},
                                           {"job", job.id.value()},
                                           {"error", StatusText(why)}});
  const auto changed = parts_.active->Change(job.id, [](ActiveJob& active) {
    active.submitting = false;
    if (!InSlurm(active.job))
      active.job.reason = MakeText(job_submission_messages::kWaitsForSlurm);
  });
  return changed ? changed->job : job;
}

}  // namespace carme::backend
