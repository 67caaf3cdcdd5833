// Evaluates the rules over the history of one node. Pure.
#ifndef CARME_BACKEND_NODE_HISTORY_RULES_NODE_RULE_EVALUATION_H_
#define CARME_BACKEND_NODE_HISTORY_RULES_NODE_RULE_EVALUATION_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/node_history/rules/node_entry.h"
#include "backend/node_history/rules/node_rules.h"

namespace carme::backend {

// A rule whose action is due.
struct DueNodeRule {
  const NodeRule* rule = nullptr;
  int runs = 0;        // that were counted
  int64_t newest = 0;  // sequence of the newest counted entry
  std::string text;    // the reason of a drain; else what was counted
  std::set<std::string> evaluations{};  // that were counted
};

struct NodeVerdict {
  v1::NodeRuleState state = v1::NODE_RULE_STATE_HEALTHY;  // never DRAINED
  std::vector<DueNodeRule> due;
};

// `entries`: of one node, ascending. Entries before the last "resume" do not
// count, nor for a rule those before its last action, except that `avoid` lasts
// as long as its rule holds. An entry whose time is further from `now` than the
// window does not count, in either direction: the clock may have jumped.
NodeVerdict EvaluateNodeRules(const NodeRules& rules,
                              const std::vector<NodeEntry>& entries,
                              absl::Time now);

// Whether `text` matches a pattern with "*" and "?".
bool MatchesGlob(std::string_view pattern, std::string_view text);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NODE_HISTORY_RULES_NODE_RULE_EVALUATION_H_
