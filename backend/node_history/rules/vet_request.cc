#include "backend/node_history/rules/vet_request.h"

#include <algorithm>

namespace carme::backend {
namespace {

bool IsRunOfSite(const NodeEntry& entry) {
  return entry.source == v1::NODE_ENTRY_SOURCE_SITE_VET;
}

bool IsRequest(const NodeRules& rules, const NodeEntry& entry) {
  return entry.source == v1::NODE_ENTRY_SOURCE_RULE &&
         std::any_of(rules.rules.begin(), rules.rules.end(),
                     [&](const NodeRule& rule) {
                       return rule.action == NodeRuleAction::kRevet &&
                              rule.name == entry.name;
                     });
}

// After which requests count no more.
bool EndsRequests(const NodeEntry& entry) {
  return IsRunOfSite(entry) || (entry.source == v1::NODE_ENTRY_SOURCE_RULE &&
                                entry.name == kResumeEntry);
}

}  // namespace

bool IsVetRequested(const NodeRules& rules,
                    const std::vector<NodeEntry>& entries, bool is_drained,
                    absl::Duration interval, absl::Time now) {
  const auto last_run =
      std::find_if(entries.rbegin(), entries.rend(), IsRunOfSite);
  // In either direction: the clock may have jumped.
  if (last_run != entries.rend() &&
      absl::AbsDuration(now - last_run->at) < interval) {
    return false;
  }
  if (is_drained) return true;
  const auto end = std::find_if(entries.rbegin(), entries.rend(), EndsRequests);
  return std::any_of(entries.rbegin(), end, [&](const NodeEntry& entry) {
    return IsRequest(rules, entry);
  });
}

}  // namespace carme::backend
