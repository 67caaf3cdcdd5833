#include "backend/quotas/rule_check.h"

#include <optional>
#include <string>

#include "backend/quotas/messages.h"
#include "backend/quotas/quotas.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestName = 128;
constexpr size_t kLongestNote = 200;

bool IsText(const std::string& text, size_t min, size_t max) {
  const std::optional<size_t> length = PrintableLength(text);
  return length && *length >= min && *length <= max;
}

bool IsRole(const std::string& name) {
  return RoleName(RoleNamed(name)) == name;
}

}  // namespace

absl::Status CheckRuleText(const QuotaRule& rule, absl::Time now) {
  const int metric = static_cast<int>(rule.metric);
  if (metric < 1 || metric > kQuotaMetrics) {
    return MakeError(quota_messages::kMetricInvalid);
  }
  if (rule.max && (*rule.max < 0 || *rule.max > Quotas::kMaxAmount)) {
    return MakeError(quota_messages::kMaxInvalid,
                     {{"found", *rule.max}, {"max", Quotas::kMaxAmount}});
  }
  if (!IsText(rule.note, 0, kLongestNote)) {
    return MakeError(quota_messages::kNoteTooLong, {{"max", kLongestNote}});
  }
  if (rule.expires_at && *rule.expires_at <= now) {
    return MakeError(quota_messages::kEndPassed);
  }
  if (rule.expires_at && *rule.expires_at > now + absl::Hours(24 * 36525)) {
    return MakeError(quota_messages::kEndTooFar);
  }
  return absl::OkStatus();
}

absl::Status CheckRuleTarget(const QuotaRule& rule) {
  const bool names =
      rule.scope == v1::LIMIT_SCOPE_ROLE || rule.scope == v1::LIMIT_SCOPE_GROUP;
  const bool in_project = rule.scope == v1::LIMIT_SCOPE_PROJECT ||
                          rule.scope == v1::LIMIT_SCOPE_MEMBER;
  const bool of_user = rule.scope == v1::LIMIT_SCOPE_USER;
  const bool may_have_user = of_user || rule.scope == v1::LIMIT_SCOPE_MEMBER;
  if (!names && !in_project && !of_user) {
    return MakeError(quota_messages::kScopeInvalid);
  }
  if (names == rule.name.empty() || in_project == rule.project.empty() ||
      (of_user && rule.username.empty()) ||
      (!may_have_user && !rule.username.empty())) {
    return MakeError(quota_messages::kTargetInvalid);
  }
  if (rule.scope == v1::LIMIT_SCOPE_ROLE && !IsRole(rule.name)) {
    return MakeError(quota_messages::kRoleInvalid);
  }
  if (!IsText(rule.name, 0, kLongestName) ||
      !IsText(rule.username, 0, kLongestName) ||
      !IsText(rule.project, 0, kLongestName)) {
    return MakeError(quota_messages::kNameTooLong, {{"max", kLongestName}});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> NameOfProject(Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare("SELECT name FROM projects WHERE id = ?"));
  ASSIGN_OR_RETURN(const bool found, row.Bind(1, id).Step());
  if (!found) return MakeError(quota_messages::kProjectNotFound);
  return row.Text(0);
}

absl::Status CompleteRule(Directory* directory, QuotaRule* rule) {
  RETURN_IF_ERROR(CheckRuleTarget(*rule));
  if (rule->scope == v1::LIMIT_SCOPE_GROUP) {
    const absl::StatusOr<std::string> found = directory->FindGroup(rule->name);
    if (absl::IsNotFound(found.status())) {
      return MakeError(quota_messages::kGroupNotFound, {{"group", rule->name}});
    }
    if (!found.ok()) {
      LogWarning("group not looked up",
                 {{"error", StatusText(found.status())}});
      return MakeError(quota_messages::kDirectoryUnavailable);
    }
    rule->name = *found;
  }
  rule->uid = kNoUid;
  if (rule->username.empty()) return absl::OkStatus();
  const absl::StatusOr<Person> person = directory->LookUp(rule->username);
  if (absl::IsNotFound(person.status())) {
    return MakeError(quota_messages::kUserNotFound);
  }
  if (!person.ok() || person->uid == kNoUid) {
    return MakeError(quota_messages::kDirectoryUnavailable);
  }
  rule->uid = person->uid;
  rule->username = person->username;
  return absl::OkStatus();
}

}  // namespace carme::backend
