// Whether the site should vet a node again. Pure.
#ifndef CARME_BACKEND_NODE_HISTORY_RULES_VET_REQUEST_H_
#define CARME_BACKEND_NODE_HISTORY_RULES_VET_REQUEST_H_

#include <vector>

#include "absl/time/time.h"
#include "backend/node_history/rules/node_entry.h"
#include "backend/node_history/rules/node_rules.h"

namespace carme::backend {

// `entries`: of one node, ascending; `is_drained`: by a rule. Yes if a rule
// with the action `revet` held since the last run of the site, or while the
// node is drained, but never within `interval` after the last run of the site.
bool IsVetRequested(const NodeRules& rules,
                    const std::vector<NodeEntry>& entries, bool is_drained,
                    absl::Duration interval, absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NODE_HISTORY_RULES_VET_REQUEST_H_
