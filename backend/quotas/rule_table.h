// The table `quota_rules`: what administrators have set. Each function runs in
// the body of a transaction or query; errors are the database's.
#ifndef CARME_BACKEND_QUOTAS_RULE_TABLE_H_
#define CARME_BACKEND_QUOTAS_RULE_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/policy/limits/quota.h"
#include "backend/store/database.h"

namespace carme::backend {

// Those that may be about this person, in this project if it is not empty:
// with every role's and group's.
absl::StatusOr<std::vector<QuotaRule>> RulesFor(Database& db, Uid uid,
                                                const std::string& project);
absl::StatusOr<std::vector<QuotaRule>> AllRules(Database& db);
absl::StatusOr<int> CountRules(Database& db);
absl::StatusOr<bool> HasGroupRules(Database& db);
// Takes the place of the rule of the same whom and what.
absl::Status PutRule(Database& db, const QuotaRule& rule);
// NOT_FOUND: there is none such.
absl::Status DeleteRule(Database& db, const QuotaRule& rule);
// Of projects that are not there any more.
absl::Status DropOrphanRules(Database& db);

}  // namespace carme::backend

#endif  // CARME_BACKEND_QUOTAS_RULE_TABLE_H_
