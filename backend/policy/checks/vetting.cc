#include "backend/policy/checks/vetting.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/policy/checks/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"

namespace carme::backend {
namespace {

std::vector<Violation> Refuse(const char* limit, std::string value,
                              DisplayText message) {
  return {{Refusal::kInvalid, "vetting", limit, std::move(value),
           kCarmeLimitSource, std::move(message)}};
}

}  // namespace

std::vector<Violation> ChooseRequiredNodes(JobSpec* spec) {
  if (!spec->required_nodes) return {};
  if (!spec->linked_to.empty() || !spec->builds.empty()) {
    return Refuse("vetting", "",
                  MakeText(policy_check_messages::kVettingNotAllowed));
  }
  if (spec->resubmit && spec->batch && !spec->batch->array.empty()) {
    return Refuse("resubmit", "",
                  MakeText(policy_check_messages::kArrayNotResubmitted));
  }
  if (*spec->required_nodes == 0) spec->required_nodes = spec->nodes;
  if (*spec->required_nodes > 0 && *spec->required_nodes <= spec->nodes) {
    return {};
  }
  return Refuse(
      "nodes", absl::StrCat(spec->nodes),
      MakeText(policy_check_messages::kRequiredNodesInvalid,
               {{"found", *spec->required_nodes}, {"nodes", spec->nodes}}));
}

}  // namespace carme::backend
