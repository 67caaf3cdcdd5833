#include "backend/policy/checks/excluded_nodes.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/policy/checks/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"
#include "common/name_rules.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr char kField[] = "excludedNodes";
constexpr size_t kMaxShownName = 64;

}  // namespace

// One violation is enough: the first one that the user has to correct.
std::vector<Violation> CheckExcludedNodes(const JobSpec& spec) {
  const auto refuse = [](const char* limit, std::string value,
                         DisplayText message) -> std::vector<Violation> {
    return {{Refusal::kInvalid, kField, limit, std::move(value),
             kCarmeLimitSource, std::move(message)}};
  };
  const size_t found = spec.excluded_nodes.size();
  if (found > kMaxExcludedNodesOfSpec) {
    return refuse(
        "excluded_nodes", absl::StrCat(kMaxExcludedNodesOfSpec),
        MakeText(policy_check_messages::kTooManyExcludedNodes,
                 {{"found", found}, {"max", kMaxExcludedNodesOfSpec}}));
  }
  std::set<std::string> seen;
  for (const std::string& node : spec.excluded_nodes) {
    // Slurm would read commas and brackets as a list.
    if (!kSlurmNameRule.Allows(node)) {
      return refuse("name", "",
                    MakeText(policy_check_messages::kExcludedNodeInvalid,
                             {{"node", PlainText(node, kMaxShownName)}}));
    }
    if (!seen.insert(node).second) {
      return refuse("name", node,
                    MakeText(policy_check_messages::kExcludedNodeRepeated,
                             {{"node", node}}));
    }
  }
  return {};
}

std::vector<Violation> CheckExcludedNodesExist(const JobSpec& spec,
                                               const SlurmSnapshot& cluster) {
  if (spec.excluded_nodes.empty()) return {};
  std::set<std::string_view> known;
  for (const SlurmNode& node : cluster.nodes) known.insert(node.name);
  for (const std::string& node : spec.excluded_nodes) {
    if (!kSlurmNameRule.Allows(node) || known.contains(node)) continue;
    return {{Refusal::kImpossible, kField, "nodes", node, ClusterLimitSource(),
             MakeText(policy_check_messages::kExcludedNodeUnknown,
                      {{"node", node}})}};
  }
  return {};
}

void RemoveExcludedNodes(const JobSpec& spec,
                         std::vector<const SlurmNode*>* nodes) {
  if (spec.excluded_nodes.empty()) return;
  const std::set<std::string_view> excluded(spec.excluded_nodes.begin(),
                                            spec.excluded_nodes.end());
  std::erase_if(*nodes, [&](const SlurmNode* node) {
    return excluded.contains(node->name);
  });
}

}  // namespace carme::backend
