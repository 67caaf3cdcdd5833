#include "backend/quotas/rule_table.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/quotas/messages.h"
#include "backend/quotas/uid_column.h"
#include "backend/store/row_mapper.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<QuotaRule>& RuleColumns() {
  static const auto* const columns = new RowMapper<QuotaRule>({
      {"scope", &QuotaRule::scope},
      {"name", &QuotaRule::name},
      {"project", &QuotaRule::project},
      UidColumn<QuotaRule>("uid", &QuotaRule::uid),
      {"username", &QuotaRule::username},
      {"metric", &QuotaRule::metric},
      {"max_amount", &QuotaRule::max},
      {"note", &QuotaRule::note},
      {"set_by", &QuotaRule::set_by},
      {"set_at", &QuotaRule::set_at},
      {"expires_at", &QuotaRule::expires_at},
  });
  return *columns;
}

// With the name of the project as the last column.
std::string SelectRules(std::string_view rest) {
  return absl::StrCat(
      "SELECT ", RuleColumns().list(),
      ", coalesce((SELECT projects.name FROM projects WHERE projects.id = "
      "quota_rules.project), '') FROM quota_rules ",
      std::string(rest));
}

absl::StatusOr<std::vector<QuotaRule>> ReadRules(Statement& rows) {
  std::vector<QuotaRule> rules;
  while (true) {
    ASSIGN_OR_RETURN(const bool found, rows.Step());
    if (!found) return rules;
    ASSIGN_OR_RETURN(QuotaRule rule, RuleColumns().Read(rows));
    rule.project_name = rows.Text(RuleColumns().size());
    rules.push_back(std::move(rule));
  }
}

}  // namespace

absl::StatusOr<std::vector<QuotaRule>> RulesFor(Database& db, Uid uid,
                                                const std::string& project) {
  // Each line is a prefix of the primary key.
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(SelectRules("WHERE scope = 1 OR scope = 2 "
                             "OR (scope = 3 AND name = '' AND project = ?2) "
                             "OR (scope = 4 AND name = '' AND project = '' "
                             "AND uid = ?1) "
                             "OR (scope = 5 AND name = '' AND project = ?2 "
                             "AND uid IN (?1, -1))")));
  rows.Bind(1, UidColumnOf(uid)).Bind(2, project);
  return ReadRules(rows);
}

absl::StatusOr<std::vector<QuotaRule>> AllRules(Database& db) {
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(
          SelectRules("ORDER BY scope, name, project, username, uid, metric")));
  return ReadRules(rows);
}

absl::StatusOr<int> CountRules(Database& db) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare("SELECT count(*) FROM quota_rules"));
  RETURN_IF_ERROR(row.Step().status());
  return static_cast<int>(row.Int(0));
}

absl::StatusOr<bool> HasGroupRules(Database& db) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare("SELECT EXISTS (SELECT 1 FROM quota_rules WHERE scope = 2)"));
  RETURN_IF_ERROR(row.Step().status());
  return row.Int(0) != 0;
}

absl::Status PutRule(Database& db, const QuotaRule& rule) {
  ASSIGN_OR_RETURN(Statement put, db.Prepare(absl::StrCat(
                                      RuleColumns().InsertInto("quota_rules"),
                                      " ON CONFLICT DO UPDATE SET ",
                                      RuleColumns().updates())));
  RuleColumns().Bind(put, rule);
  return put.Run();
}

absl::Status DeleteRule(Database& db, const QuotaRule& rule) {
  ASSIGN_OR_RETURN(
      Statement remove,
      db.Prepare("DELETE FROM quota_rules WHERE scope = ? AND name = ? AND "
                 "project = ? AND uid = ? AND metric = ?"));
  RETURN_IF_ERROR(remove.Bind(1, static_cast<int64_t>(rule.scope))
                      .Bind(2, rule.name)
                      .Bind(3, rule.project)
                      .Bind(4, UidColumnOf(rule.uid))
                      .Bind(5, static_cast<int64_t>(rule.metric))
                      .Run());
  if (db.Changes() == 0) return MakeError(quota_messages::kNotFound);
  return absl::OkStatus();
}

absl::Status DropOrphanRules(Database& db) {
  ASSIGN_OR_RETURN(Statement remove,
                   db.Prepare("DELETE FROM quota_rules WHERE project <> '' "
                              "AND project NOT IN (SELECT id FROM projects)"));
  return remove.Run();
}

}  // namespace carme::backend
