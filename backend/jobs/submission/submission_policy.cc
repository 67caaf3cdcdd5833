#include "backend/jobs/submission/submission_policy.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "backend/jobs/model/job_owner.h"
#include "backend/jobs/submission/dependencies.h"
#include "backend/jobs/submission/messages.h"
#include "backend/jobs/submission/template_offer.h"
#include "backend/policy/cluster/reservation.h"
#include "backend/policy/spec/limit_source.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Additional nodes are in the project of the job that they join.
const std::string& ProjectIn(const PolicyInput& input) {
  return input.joined ? input.joined->spec.project : input.spec.project;
}

void SetProject(const absl::StatusOr<Projects::JobSettings>& settings,
                PolicyInput* input) {
  input->project = settings.status();
  if (settings.ok()) input->account = settings->account;
}

Violation LimitsUnknown(const absl::Status& limits,
                        const Quotas::Asker& asker) {
  LogWarning("limits not read", {{"error", StatusText(limits)}});
  return {Refusal::kUnavailable,
          "",
          "limits",
          "",
          kCarmeLimitSource,
          limits == asker.groups.status()
              ? TextOfStatus(limits)
              : MakeText(job_submission_messages::kLimitsUnknown)};
}

}  // namespace

absl::Status ProjectsNotOffered() {
  return MakeError(job_submission_messages::kProjectsNotOffered);
}

DisplayText SubmissionPolicy::ImageProblem(const Session& caller,
                                           const JobSpec& spec,
                                           const std::vector<Image>& images) {
  const bool usable =
      std::any_of(images.begin(), images.end(),
                  [&](const Image& image) { return image.id == spec.image; });
  if (spec.image.empty() || usable) return "";
  return parts_.images->WhyNot(PersonOf(caller), spec.image);
}

absl::StatusOr<RenderedEnvironment> SubmissionPolicy::ResolveEnvironment(
    const Session& caller, const JobSpec& spec) {
  // Additional nodes use the environment of the job that they join.
  if (spec.environment.empty() || !spec.linked_to.empty()) {
    return RenderedEnvironment();
  }
  if (parts_.environments != nullptr) {
    return parts_.environments->Resolve(caller, spec.environment);
  }
  return MakeError(job_submission_messages::kEnvironmentsNotOffered);
}

SubmissionPolicy::Facts SubmissionPolicy::GatherFacts(
    const Session& caller, const JobSpec& spec, SlurmSnapshotPtr cluster) {
  std::vector<Image> images = parts_.images->UsableBy(PersonOf(caller));
  DisplayText image_problem = ImageProblem(caller, spec, images);
  return {.cluster = std::move(cluster),
          .images = std::move(images),
          .image_problem = std::move(image_problem),
          .environment = ResolveEnvironment(caller, spec),
          .asker = parts_.quotas == nullptr ? Quotas::Asker()
                                            : parts_.quotas->AskerOf(caller)};
}

std::optional<JoinedJob> SubmissionPolicy::FindJoinedJob(const Session& caller,
                                                         const JobSpec& spec) {
  if (!IsJobId(spec.linked_to)) return std::nullopt;
  const JobId id(spec.linked_to);
  const std::optional<Job> job = parts_.active->Find(id);
  if (!job || HasEnded(*job) || !IsOwner(caller, *job)) return std::nullopt;
  JoinedJob joined{.spec = job->spec,
                   .ready = job->state == v1::JOB_STATE_READY,
                   .nodes = job->nodes,
                   .gpus = UseOf(job->spec).gpus};
  if (job->ends_at) joined.left = *job->ends_at - parts_.clock->Now();
  for (const Job& linked : parts_.active->JobsLinkedTo(id)) {
    joined.nodes.insert(joined.nodes.end(), linked.nodes.begin(),
                        linked.nodes.end());
    joined.gpus += UseOf(linked.spec).gpus;
    joined.another_waits =
        joined.another_waits || (linked.state != v1::JOB_STATE_READY &&
                                 linked.state != v1::JOB_STATE_STOPPING);
  }
  return joined;
}

PolicyInput SubmissionPolicy::BuildInput(const Session& caller,
                                         const JobSpec& spec,
                                         const Facts& facts, int live_jobs) {
  return {.spec = spec,
          .username = caller.username,
          .uid = caller.uid,
          .role = caller.role,
          .limits = parts_.config->LimitsOf(caller.role),
          .jobs_now = live_jobs,
          .apps = &parts_.config->apps,
          .images = &facts.images,
          .image_problem = facts.image_problem,
          .cluster = facts.cluster.get(),
          .environment = facts.environment.status(),
          .joined = FindJoinedJob(caller, spec),
          .environment_image =
              facts.environment.ok() ? facts.environment->image : std::string(),
          .project = {},
          .reservation = UsableReservation(*facts.cluster, spec.reservation,
                                           caller.username),
          .resolved =
              ResolveDependencies(caller, spec, *parts_.active, *facts.cluster),
          .max_array_tasks = parts_.config->max_array_tasks,
          .now = parts_.clock->Now(),
          .avoided_nodes = parts_.node_history == nullptr
                               ? std::set<std::string>()
                               : parts_.node_history->Avoided()};
}

absl::Status SubmissionPolicy::AddQuotas(Database& db,
                                         const Quotas::Asker& asker,
                                         PolicyInput* input) {
  if (parts_.quotas == nullptr) return absl::OkStatus();
  // Users without access to the project must not learn its limits.
  const std::string project = input->project.ok() ? ProjectIn(*input) : "";
  ASSIGN_OR_RETURN(input->quotas, parts_.quotas->For(db, asker, project));
  return absl::OkStatus();
}

Decision SubmissionPolicy::DecideInTransaction(Database& db,
                                               const Session& caller,
                                               const JobSpec& spec,
                                               const Facts& facts,
                                               int live_jobs) {
  PolicyInput input = BuildInput(caller, spec, facts, live_jobs);
  const std::string project = ProjectIn(input);
  if (!project.empty()) {
    SetProject(parts_.projects == nullptr
                   ? ProjectsNotOffered()
                   : parts_.projects->ForJob(db, project, caller.uid),
               &input);
  }
  if (input.project.ok()) {
    input.templates = TemplatesIn(db, project, caller.username);
  }
  const absl::Status limits = AddQuotas(db, facts.asker, &input);
  return Decide(caller, std::move(input), limits, facts.asker);
}

Decision SubmissionPolicy::Preview(const Session& caller, const JobSpec& spec) {
  Decision decision = PreviewAsKnown(caller, spec);
  SlurmSnapshotPtr fresh = RefreshFor(decision);
  if (fresh == nullptr) return decision;
  return PreviewOn(std::move(fresh), caller, spec);
}

Decision SubmissionPolicy::PreviewAsKnown(const Session& caller,
                                          const JobSpec& spec) {
  return PreviewOn(parts_.scheduler->Snapshot(), caller, spec);
}

Decision SubmissionPolicy::Decide(const Session& caller, PolicyInput input,
                                  const absl::Status& limits,
                                  const Quotas::Asker& asker) const {
  Decision decision = DecideFor(caller.username, std::move(input));
  if (!limits.ok()) decision.violations.push_back(LimitsUnknown(limits, asker));
  if (parts_.maintenance == nullptr) return decision;
  if (const auto refusal = parts_.maintenance->CheckSubmission(caller.role)) {
    decision.violations.insert(decision.violations.begin(), *refusal);
  }
  return decision;
}

// With the active jobs in memory. Nothing is reserved, so the reads need not be
// of one moment.
Decision SubmissionPolicy::PreviewOn(SlurmSnapshotPtr cluster,
                                     const Session& caller,
                                     const JobSpec& spec) {
  const Facts facts = GatherFacts(caller, spec, std::move(cluster));
  PolicyInput input =
      BuildInput(caller, spec, facts, parts_.active->CountOf(caller.username));
  const std::string project = ProjectIn(input);
  if (!project.empty()) {
    SetProject(parts_.projects == nullptr
                   ? ProjectsNotOffered()
                   : parts_.projects->ForJob(project, caller.uid),
               &input);
  }
  if (input.project.ok()) {
    input.templates = TemplatesNow(parts_.database, project,
                                   parts_.active->Of(caller.username));
  }
  const absl::Status limits = parts_.database->Query(
      [&](Database& self) { return AddQuotas(self, facts.asker, &input); });
  return Decide(caller, std::move(input), limits, facts.asker);
}

SlurmSnapshotPtr SubmissionPolicy::RefreshFor(const Decision& refused) {
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

}  // namespace carme::backend
