// Rules about nodes, which are data: a YAML file. docs/admin/node-rules.md
// describes it.
#ifndef CARME_BACKEND_NODE_HISTORY_RULES_NODE_RULES_H_
#define CARME_BACKEND_NODE_HISTORY_RULES_NODE_RULES_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/node_history/rules/node_entry.h"

namespace carme::backend {

enum class NodeRuleAction {
  kAvoid,   // new jobs of Carme run on other nodes, if there are enough
  kNotify,  // administrators
  kRevet,   // as notify; asks them to vet the node
  kDrain,
};

// Holds for a node if enough runs match within the window.
struct NodeRule {
  std::string name;                       // [a-z][a-z0-9-]*
  std::set<v1::NodeEntrySource> sources;  // not empty
  std::string evaluation = "*";           // a glob: the name of an entry
  v1::NodeEntrySeverity severity =
      v1::NODE_ENTRY_SEVERITY_ERROR;  // or a higher one
  int count = 1;                      // of runs
  int users = 1;                      // of different owners of the jobs
  absl::Duration window = absl::Hours(24);
  NodeRuleAction action = NodeRuleAction::kNotify;
  // Of a drain: {count}, {window} and {evaluations} are replaced.
  std::string reason;
};

struct NodeRules {
  absl::Duration suspect_for = absl::Hours(24);  // after an error
  std::vector<NodeRule> rules;
};

inline constexpr size_t kMaxNodeRules = 100;
inline constexpr absl::Duration kMaxNodeRuleWindow = absl::Hours(24 * 30);

// "site_vet"; the names in the file.
std::string_view NodeEntrySourceName(v1::NodeEntrySource source);
// "drain"
std::string_view NodeRuleActionName(NodeRuleAction action);

// `path` is for messages: "PATH:LINE: problem". INVALID_ARGUMENT: also for a
// rule that drains because of what jobs can cause.
absl::StatusOr<NodeRules> ParseNodeRules(std::string_view text,
                                         const std::string& path);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NODE_HISTORY_RULES_NODE_RULES_H_
