// The table `quota_rules`: the rules that administrators have set. REQUIRES for
// all: in the body of a transaction or query. Errors are the database's.
#ifndef CARME_BACKEND_QUOTAS_RULE_TABLE_H_
#define CARME_BACKEND_QUOTAS_RULE_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/policy/limits/quota.h"
#include "backend/store/database.h"

namespace carme::backend {

// The rules that may apply to this user, in this project if it is not empty,
// with those of all roles and groups.
absl::StatusOr<std::vector<QuotaRule>> RulesFor(Database& db, Uid uid,
                                                const std::string& project);
absl::StatusOr<std::vector<QuotaRule>> AllRules(Database& db);
absl::StatusOr<int> CountRules(Database& db);
absl::StatusOr<bool> HasGroupRules(Database& db);
// Replaces the rule with the same target and metric.
absl::Status PutRule(Database& db, const QuotaRule& rule);
// NOT_FOUND: there is no such rule.
absl::Status DeleteRule(Database& db, const QuotaRule& rule);
// Deletes the rules of deleted projects.
absl::Status DropOrphanRules(Database& db);

}  // namespace carme::backend

#endif  // CARME_BACKEND_QUOTAS_RULE_TABLE_H_
