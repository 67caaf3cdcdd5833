#include "backend/quotas/rule_table.h"

#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int64_t kNobody = -1;

int64_t NumberOf(Uid uid) {
  return uid == kNoUid ? kNobody : static_cast<int64_t>(uid.value());
}

constexpr char kSelect[] =
    "SELECT scope, quota_rules.name, project, uid, username, metric, most, "
    "note, set_by, set_at, quota_rules.expires_at, "
    "coalesce(projects.name, '') FROM quota_rules LEFT JOIN projects "
    "ON projects.id = project ";

QuotaRule RuleAt(const Statement& row) {
  QuotaRule rule;
  rule.scope = static_cast<QuotaScope>(row.Int(0));
  rule.name = row.Text(1);
  rule.project = row.Text(2);
  if (row.Int(3) >= 0) rule.uid = Uid(static_cast<uint32_t>(row.Int(3)));
  rule.username = row.Text(4);
  rule.metric = static_cast<QuotaMetric>(row.Int(5));
  if (!row.IsNull(6)) rule.most = row.Int(6);
  rule.note = row.Text(7);
  rule.set_by = row.Text(8);
  rule.set_at = absl::FromUnixMicros(row.Int(9));
  if (!row.IsNull(10)) rule.expires_at = absl::FromUnixMicros(row.Int(10));
  rule.project_name = row.Text(11);
  return rule;
}

absl::StatusOr<std::vector<QuotaRule>> ReadAll(Statement& rows) {
  std::vector<QuotaRule> rules;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return rules;
    rules.push_back(RuleAt(rows));
  }
}

}  // namespace

absl::StatusOr<std::vector<QuotaRule>> RulesFor(Database& db, Uid uid,
                                                const std::string& project) {
  // Each line is a beginning of the primary key.
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(
          kSelect,
          "WHERE scope = 1 OR scope = 2 "
          "OR (scope = 3 AND quota_rules.name = '' AND project = ?2) "
          "OR (scope = 4 AND quota_rules.name = '' AND project = '' "
          "AND uid = ?1) "
          "OR (scope = 5 AND quota_rules.name = '' AND project = ?2 "
          "AND uid IN (?1, -1))")));
  rows.Bind(1, NumberOf(uid)).Bind(2, project);
  return ReadAll(rows);
}

absl::StatusOr<std::vector<QuotaRule>> AllRules(Database& db) {
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(
          kSelect,
          "ORDER BY scope, quota_rules.name, project, username, uid, "
          "metric")));
  return ReadAll(rows);
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
  ASSIGN_OR_RETURN(
      Statement put,
      db.Prepare("INSERT OR REPLACE INTO quota_rules (scope, name, project, "
                 "uid, username, metric, most, note, set_by, set_at, "
                 "expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  put.Bind(1, static_cast<int64_t>(rule.scope))
      .Bind(2, rule.name)
      .Bind(3, rule.project)
      .Bind(4, NumberOf(rule.uid))
      .Bind(5, rule.username)
      .Bind(6, static_cast<int64_t>(rule.metric))
      .Bind(8, rule.note)
      .Bind(9, rule.set_by)
      .Bind(10, absl::ToUnixMicros(rule.set_at));
  if (rule.most) {
    put.Bind(7, *rule.most);
  } else {
    put.BindNull(7);
  }
  if (rule.expires_at) {
    put.Bind(11, absl::ToUnixMicros(*rule.expires_at));
  } else {
    put.BindNull(11);
  }
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
                      .Bind(4, NumberOf(rule.uid))
                      .Bind(5, static_cast<int64_t>(rule.metric))
                      .Run());
  if (db.Changes() == 0) return absl::NotFoundError("there is no such limit");
  return absl::OkStatus();
}

absl::Status DropOrphanRules(Database& db) {
  ASSIGN_OR_RETURN(Statement remove,
                   db.Prepare("DELETE FROM quota_rules WHERE project <> '' "
                              "AND project NOT IN (SELECT id FROM projects)"));
  return remove.Run();
}

}  // namespace carme::backend
