#include "backend/policy/checks/additional_nodes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/policy/checks/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"

namespace carme::backend {
namespace {

// Takes a value from the other job; a different value is refused.
void Take(const char* field, const std::string& theirs, std::string* ours,
          std::vector<Violation>* violations) {
  if (!ours->empty() && *ours != theirs) {
    violations->push_back({Refusal::kInvalid, field, "linkedTo", theirs,
                           kCarmeLimitSource,
                           MakeText(policy_check_messages::kFieldOfJoinedJob,
                                    {{"field", field}, {"expected", theirs}})});
  }
  *ours = theirs;
}

void Forbid(const char* field, bool given, std::vector<Violation>* violations) {
  if (!given) return;
  violations->push_back(
      {Refusal::kInvalid, field, "linkedTo", "", kCarmeLimitSource,
       MakeText(policy_check_messages::kFieldWithAdditionalNodes,
                {{"field", field}})});
}

}  // namespace

std::vector<Violation> JoinOther(const std::optional<JoinedJob>& joined,
                                 JobSpec* spec) {
  std::vector<Violation> violations;
  const auto refuse = [&](Refusal refusal, const char* limit,
                          DisplayText message) {
    violations.push_back({refusal, "linkedTo", limit, "", kCarmeLimitSource,
                          std::move(message)});
  };
  Forbid("app", !spec->app.empty(), &violations);
  Forbid("stageIn", !spec->stage_in.empty(), &violations);
  Forbid("stageOut", !spec->stage_out.empty(), &violations);
  Forbid("builds", !spec->builds.empty(), &violations);
  if (spec->name.empty()) spec->name = "additional-nodes";
  if (!joined.has_value()) {
    refuse(Refusal::kMissing, "jobs",
           MakeText(policy_check_messages::kJoinedJobUnknown));
    return violations;
  }
  if (!joined->spec.linked_to.empty()) {
    refuse(Refusal::kInvalid, "linked jobs",
           MakeText(policy_check_messages::kJoinedJobAddsNodes));
    return violations;
  }
  if (joined->spec.batch) {
    refuse(Refusal::kInvalid, "linked jobs",
           MakeText(policy_check_messages::kJoinedJobIsBatch));
    return violations;
  }
  if (!joined->ready) {
    refuse(Refusal::kImpossible, "state",
           MakeText(policy_check_messages::kJoinedJobNotReady));
  }
  if (joined->another_waits) {
    refuse(Refusal::kExhausted, "linked jobs",
           MakeText(policy_check_messages::kJoinedJobHasRequest));
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
  return {{Refusal::kImpossible, "walltime", "walltime", left,
           "the job that it joins",
           MakeText(policy_check_messages::kWalltimeAboveJoinedJob,
                    {{"walltime", absl::ToInt64Minutes(spec.walltime)},
                     {"left", left}})}};
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
