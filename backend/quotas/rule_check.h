// Checks and completes the rules that administrators set.
#ifndef CARME_BACKEND_QUOTAS_RULE_CHECK_H_
#define CARME_BACKEND_QUOTAS_RULE_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/directory.h"
#include "backend/policy/limits/quota.h"
#include "backend/store/database.h"

namespace carme::backend {

// INVALID_ARGUMENT: the metric, limit, note or end is invalid.
absl::Status CheckRuleText(const QuotaRule& rule, absl::Time now);
// INVALID_ARGUMENT: the scope is invalid, or a field is set that is not of it.
absl::Status CheckRuleTarget(const QuotaRule& rule);
// Checks the target, and fills in the uid and the spelling of names as in the
// directory. Blocks for it. NOT_FOUND: no such user or group; UNAVAILABLE.
absl::Status CompleteRule(Directory* directory, QuotaRule* rule);
// NOT_FOUND: no such project. REQUIRES: in the body of a transaction or query.
absl::StatusOr<std::string> NameOfProject(Database& db, const std::string& id);

}  // namespace carme::backend

#endif  // CARME_BACKEND_QUOTAS_RULE_CHECK_H_
