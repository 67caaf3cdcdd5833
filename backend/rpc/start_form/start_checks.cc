#include "backend/rpc/start_form/start_checks.h"

#include <algorithm>
#include <utility>

#include "absl/time/time.h"
#include "backend/policy/spec/limits.h"
#include "backend/projects/project.h"
#include "carme/v1/cluster.pb.h"

namespace carme::backend {
namespace {

// The first values of the web application's form (start_form.ts), reduced to
// those that a selected template allows (template_bounds.ts).
constexpr absl::Duration kProposedWalltime = absl::Hours(1);

JobSpec ProposedSpec(const StartChoice& choice, const JobTemplate* bound,
                     const StartDefaults& defaults) {
  JobSpec spec{.nodes = 1,
               .gpus_per_node = defaults.has_gpus ? 1 : 0,
               .walltime = kProposedWalltime,
               .app = defaults.app};
  spec.project = choice.project;
  spec.job_template = choice.job_template;
  if (bound == nullptr) return spec;
  if (bound->no_gpus) spec.gpus_per_node = 0;
  if (bound->max_walltime > absl::ZeroDuration()) {
    spec.walltime = std::min(spec.walltime, bound->max_walltime);
  }
  return spec;
}

// Whether an image with the app is being built and no other image has it.
bool AwaitsImage(const std::string& app,
                 const v1::GetClusterResponse& cluster) {
  const auto is = [&](const std::string& other) { return other == app; };
  const bool is_built = std::any_of(
      cluster.images().begin(), cluster.images().end(),
      [&](const v1::ImageChoice& image) {
        return image.id() != kNoImage &&
               (image.apps().empty() ||
                std::any_of(image.apps().begin(), image.apps().end(), is));
      });
  return !is_built &&
         std::any_of(
             cluster.pending_images().begin(), cluster.pending_images().end(),
             [&](const v1::PendingImage& image) {
               return std::any_of(image.apps().begin(), image.apps().end(), is);
             });
}

// Apps that need a file of the user are not offered before the job runs.
std::string FirstApp(const v1::GetClusterResponse& cluster) {
  std::string first;
  for (const v1::App& app : cluster.apps()) {
    if (!app.requires_file().empty()) continue;
    if (!AwaitsImage(app.id(), cluster)) return app.id();
    if (first.empty()) first = app.id();
  }
  return first;
}

// An empty project: jobs without one.
bool IsOffered(const TemplateRecord& record, const std::string& project) {
  if (record.retired) return false;
  if (project.empty()) return record.everybody;
  return std::find(record.projects.begin(), record.projects.end(), project) !=
         record.projects.end();
}

class ProposalList {
 public:
  ProposalList(const StartDefaults& defaults, size_t max)
      : defaults_(defaults), max_(max) {}

  void Add(const std::string& project, const std::string& job_template,
           const JobTemplate* bound) {
    if (list_.choices.size() == max_) {
      list_.truncated = true;
      return;
    }
    StartChoice choice{.project = project, .job_template = job_template};
    choice.spec = ProposedSpec(choice, bound, defaults_);
    list_.choices.push_back(std::move(choice));
  }
  StartChoices Take() { return std::move(list_); }

 private:
  const StartDefaults& defaults_;
  const size_t max_;
  StartChoices list_;
};

void AddPlace(const std::string& project,
              const std::vector<TemplateRecord>& templates,
              ProposalList* list) {
  std::vector<const JobTemplate*> offered;
  for (const TemplateRecord& record : templates) {
    if (IsOffered(record, project)) offered.push_back(&record.job_template);
  }
  // The only template of a project bounds the form when the project is
  // selected.
  const bool is_bound = !project.empty() && offered.size() == 1;
  list->Add(project, "", is_bound ? offered[0] : nullptr);
  for (const JobTemplate* one : offered) list->Add(project, one->id, one);
}

}  // namespace

StartDefaults StartDefaultsOf(const v1::GetClusterResponse& cluster) {
  return {.app = FirstApp(cluster),
          .has_gpus = std::any_of(
              cluster.gpu_types().begin(), cluster.gpu_types().end(),
              [](const v1::GpuType& type) { return type.total() > 0; })};
}

StartChoices ProposedStarts(const std::vector<ProjectView>& projects,
                            const std::vector<TemplateRecord>& templates,
                            const StartDefaults& defaults, size_t max) {
  ProposalList list(defaults, max);
  AddPlace("", templates, &list);
  for (const ProjectView& view : projects) {
    if (!IsMember(view.row.project_role)) continue;
    const std::string& id = view.row.project.id.value();
    if (view.usable) {
      AddPlace(id, templates, &list);
    } else {
      list.Add(id, "", nullptr);
    }
  }
  return list.Take();
}

std::vector<StartResult> CheckStarts(const Session& user,
                                     const std::vector<StartChoice>& choices,
                                     SubmissionPolicy* policy) {
  std::vector<StartResult> results;
  results.reserve(choices.size());
  bool is_fresh = false;
  for (const StartChoice& choice : choices) {
    Decision decision = policy->PreviewAsKnown(user, choice.spec);
    const bool may_be_outdated =
        decision.rests_on_resources || decision.rests_on_accounting;
    if (may_be_outdated && !is_fresh) {
      is_fresh = true;
      decision = policy->Preview(user, choice.spec);
    }
    results.push_back({.choice = choice,
                       .spec = std::move(decision.spec),
                       .violations = std::move(decision.violations)});
  }
  return results;
}

}  // namespace carme::backend
