// From a request to a record, and from there to Slurm.
#include <memory>
#include <utility>
#include <vector>

#include "backend/jobs/array_life.h"
#include "backend/jobs/job_proto.h"
#include "backend/jobs/job_question.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/pending_reason.h"
#include "backend/jobs/submission.h"
#include "backend/jobs/template_offer.h"
#include "backend/slurm/act_error.h"
#include "backend/store/database_error.h"
#include "common/hash.h"
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

}  // namespace

absl::StatusOr<Jobs::Recorded> Jobs::Record(const Session& caller,
                                            const JobSpec& spec,
                                            const std::string& key,
                                            const AuditEvent& call) {
  Decision decided;
  absl::StatusOr<Recorded> recorded = RecordOn(
      *parts_.scheduler->Snapshot(), caller, spec, key, call, &decided);
  if (recorded.ok()) return recorded;
  const SlurmSnapshotPtr fresh = RefreshFor(decided);
  if (fresh == nullptr) return recorded;
  return RecordOn(*fresh, caller, spec, key, call, &decided);
}

absl::StatusOr<Jobs::Recorded> Jobs::RecordOn(
    const SlurmSnapshot& cluster, const Session& caller, const JobSpec& spec,
    const std::string& key, const AuditEvent& call, Decision* decided) {
  // Not within the transaction: the directory may be asked, and the database.
  const std::vector<Image> images = parts_.images->UsableBy(PersonOf(caller));
  const std::string image_problem = ImageProblem(caller, spec, images);
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
            QuestionOf(caller, spec, live_jobs, cluster, images);
        question.image_problem = image_problem;
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
        if (!limits.ok())
          decision.violations.push_back(LimitsUnknown(limits, asker));
        refused = StatusOf(decision.violations);
        *decided = decision;
        RETURN_IF_ERROR(refused);
        Job job = NewJob(caller, decision.spec, decision.account,
                         parts_.clock->Now());
        announced = parts_.submitter->Announce(
            PosixUser{job.owner, job.owner_uid}, SubmissionOf(job.id, decision),
            call.request_id);
        entry = parts_.audit->Record(AdmissionOf(job, call));
        return job;
      },
      environment.value_or(JobEnvironment()), Sha256(SerializeSpec(spec)));
  RETURN_IF_ERROR(refused);
  // The database's own errors are for the log.
  if (absl::IsAlreadyExists(inserted.status()) &&
      !IsDatabaseError(inserted.status())) {
    return inserted.status();
  }
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
  if (settled.ok() && InSlurm(*settled)) {
    parts_.scheduler->LookAt(settled->slurm_id);
  } else {
    parts_.scheduler->Hurry();
  }
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
  parts_.scheduler->Track(slurm_job);
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

}  // namespace carme::backend
