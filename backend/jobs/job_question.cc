// What the policy is asked about a job; the answer before it is submitted.
#include "backend/jobs/job_question.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "backend/jobs/awaited_jobs.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/template_offer.h"
#include "backend/policy/reservation.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {

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

absl::Status NoProjects() {
  return absl::FailedPreconditionError("projects are not offered here");
}

Question Jobs::QuestionOf(const Session& caller, const JobSpec& spec,
                          int jobs_now, const SlurmSnapshot& cluster,
                          const std::vector<Image>& images) {
  return {.spec = spec,
          .username = caller.username,
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

std::string Jobs::ImageProblem(const Session& caller, const JobSpec& spec,
                               const std::vector<Image>& images) {
  const bool usable = std::any_of(
      images.begin(), images.end(),
      [&](const Image& image) { return image.id == spec.image; });
  if (spec.image.empty() || usable) return "";
  return parts_.images->WhyNot(PersonOf(caller), spec.image);
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

absl::StatusOr<Projects::Terms> Jobs::TermsOf(const std::string& project,
                                              Uid uid) {
  if (project.empty()) return Projects::Terms();
  if (parts_.projects == nullptr) return NoProjects();
  return parts_.projects->ForJob(*parts_.database, project, uid);
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

SlurmSnapshotPtr Jobs::RefreshFor(const Decision& refused) {
  if (!refused.rests_on_resources && !refused.rests_on_accounting) {
    return nullptr;
  }
  Scheduler& scheduler = *parts_.scheduler;
  if (!scheduler.Snapshot()->reachable) return nullptr;
  if (refused.rests_on_resources) {
    scheduler.RefreshResources(kRefreshPatience);
  }
  const bool is_fresh = !refused.rests_on_accounting ||
                        scheduler.RefreshAccounting(kRefreshPatience);
  SlurmSnapshotPtr seen = scheduler.Snapshot();
  if (is_fresh) return seen;
  // Slurm itself decides then, when the job is submitted.
  auto without = std::make_shared<SlurmSnapshot>(*seen);
  without->accounting = nullptr;
  return without;
}

Decision Jobs::Preview(const Session& caller, const JobSpec& spec) {
  Decision decision = PreviewOn(*parts_.scheduler->Snapshot(), caller, spec);
  const SlurmSnapshotPtr fresh = RefreshFor(decision);
  return fresh == nullptr ? decision : PreviewOn(*fresh, caller, spec);
}

Decision Jobs::PreviewOn(const SlurmSnapshot& cluster, const Session& caller,
                         const JobSpec& spec) {
  const std::vector<Image> images = parts_.images->UsableBy(PersonOf(caller));
  Question question = QuestionOf(caller, spec, live_.CountOf(caller.username),
                                 cluster, images);
  const absl::StatusOr<JobEnvironment> environment = Resolve(caller, spec);
  question.image_problem = ImageProblem(caller, spec, images);
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
  if (!limits.ok()) decision.violations.push_back(LimitsUnknown(limits, asker));
  return decision;
}

}  // namespace carme::backend
