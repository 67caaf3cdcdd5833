#include "backend/policy/checks/additional_nodes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

constexpr char kSource[] = "carme";

// Takes a value from the other job; a different value is refused.
void Take(const char* field, const std::string& theirs, std::string* ours,
          std::vector<Violation>* violations) {
  if (!ours->empty() && *ours != theirs) {
    violations->push_back(
        {Refusal::kInvalid, field, "linkedTo", theirs, kSource,
         absl::StrCat(field,
                      " must be that of the job to which nodes are added, \"",
                      theirs, "\"")});
  }
  *ours = theirs;
}

void Forbid(const char* field, bool given, std::vector<Violation>* violations) {
  if (!given) return;
  violations->push_back(
      {Refusal::kInvalid, field, "linkedTo", "", kSource,
       absl::StrCat(field, " is not allowed when nodes are added to a job")});
}

}  // namespace

std::vector<Violation> JoinOther(const std::optional<JoinedJob>& joined,
                                 JobSpec* spec) {
  std::vector<Violation> violations;
  const auto refuse = [&](Refusal refusal, const char* limit,
                          const char* message) {
    violations.push_back({refusal, "linkedTo", limit, "", kSource, message});
  };
  Forbid("app", !spec->app.empty(), &violations);
  Forbid("stageIn", !spec->stage_in.empty(), &violations);
  Forbid("stageOut", !spec->stage_out.empty(), &violations);
  Forbid("builds", !spec->builds.empty(), &violations);
  if (spec->name.empty()) spec->name = "additional-nodes";
  if (!joined.has_value()) {
    refuse(Refusal::kMissing, "jobs",
           "you have no such running job to add nodes to");
    return violations;
  }
  if (!joined->spec.linked_to.empty()) {
    refuse(Refusal::kInvalid, "linked jobs",
           "the job itself adds nodes to another job: add nodes to that job");
    return violations;
  }
  if (joined->spec.batch) {
    refuse(Refusal::kInvalid, "linked jobs",
           "nodes cannot be added to a batch job: expected a job with an app");
    return violations;
  }
  if (!joined->ready) {
    refuse(Refusal::kImpossible, "state",
           "the job is not ready yet: wait until its app responds");
  }
  if (joined->another_waits) {
    refuse(Refusal::kExhausted, "linked jobs",
           "another request to add nodes is still pending for this job");
  }
  Take("project", joined->spec.project, &spec->project, &violations);
  Take("template", joined->spec.job_template, &spec->job_template, &violations);
  Take("image", joined->spec.image, &spec->image, &violations);
  Take("environment", joined->spec.environment, &spec->environment,
       &violations);
  return violations;
}

std::vector<Violation> CheckLeft(const JoinedJob& joined, const JobSpec& spec) {
  if (!joined.left.has_value() || spec.walltime <= *joined.left) return {};
  const std::string left = absl::StrCat(
      absl::ToInt64Minutes(std::max(*joined.left, absl::ZeroDuration())));
  return {
      {Refusal::kImpossible, "walltime", "walltime", left,
       "the job that it joins",
       absl::StrCat("walltime is ", absl::ToInt64Minutes(spec.walltime),
                    " min: the job that it joins has ", left, " min left")}};
}

std::vector<std::string> RemoveJoinedNodes(
    const JoinedJob& joined, std::vector<const SlurmNode*>* nodes) {
  std::vector<std::string> taken;
  std::erase_if(*nodes, [&](const SlurmNode* node) {
    const bool theirs = std::find(joined.nodes.begin(), joined.nodes.end(),
                                  node->name) != joined.nodes.end();
    if (theirs) taken.push_back(node->name);
    return theirs;
  });
  return taken;
}

}  // namespace carme::backend
