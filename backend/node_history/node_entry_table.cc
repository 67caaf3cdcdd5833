#include "backend/node_history/node_entry_table.h"

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "backend/store/text_code_column.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Without the sequence, which SQLite assigns.
const RowMapper<NodeEntry>& EntryColumns() {
  static const auto* const columns = new RowMapper<NodeEntry>({
      {"node", &NodeEntry::node},
      {"at", &NodeEntry::at},
      {"source", &NodeEntry::source},
      {"severity", &NodeEntry::severity},
      {"name", &NodeEntry::name},
      {"run", &NodeEntry::run},
      {"job_id", &NodeEntry::job_id},
      {"slurm_job_id", &NodeEntry::slurm_job_id},
      {"user", &NodeEntry::user},
      {"text", Member(&NodeEntry::text, &DisplayText::text)},
      TextCodeColumn("text_code", &NodeEntry::text),
  });
  return *columns;
}

const RowMapper<NodeEntry>& StoredEntryColumns() {
  static const auto* const columns = new RowMapper<NodeEntry>({
      {"sequence", &NodeEntry::sequence},
      {"node", &NodeEntry::node},
      {"at", &NodeEntry::at},
      {"source", &NodeEntry::source},
      {"severity", &NodeEntry::severity},
      {"name", &NodeEntry::name},
      {"run", &NodeEntry::run},
      {"job_id", &NodeEntry::job_id},
      {"slurm_job_id", &NodeEntry::slurm_job_id},
      {"user", &NodeEntry::user},
      {"text", Member(&NodeEntry::text, &DisplayText::text)},
      TextCodeColumn("text_code", &NodeEntry::text),
  });
  return *columns;
}

const RowMapper<NodeDrain>& DrainColumns() {
  static const auto* const columns = new RowMapper<NodeDrain>({
      {"node", &NodeDrain::node},
      {"rule", &NodeDrain::rule},
      {"reason", &NodeDrain::reason},
      {"evaluations", &NodeDrain::evaluations},
      {"requested_at", &NodeDrain::requested_at},
      {"state", &NodeDrain::state},
  });
  return *columns;
}

// A condition on `source`: what IsSiteRun() accepts, and the rules themselves.
std::string BySiteCondition() {
  return absl::StrCat("source IN (",
                      static_cast<int>(v1::NODE_ENTRY_SOURCE_PROLOG_VET), ",",
                      static_cast<int>(v1::NODE_ENTRY_SOURCE_SITE_VET), ",",
                      static_cast<int>(v1::NODE_ENTRY_SOURCE_RULE), ")");
}

absl::StatusOr<std::vector<std::string>> ReadNames(Statement& statement) {
  std::vector<std::string> names;
  while (true) {
    ASSIGN_OR_RETURN(const bool has_row, statement.Step());
    if (!has_row) return names;
    names.push_back(statement.Text(0));
  }
}

}  // namespace

absl::StatusOr<bool> InsertNodeEntry(Database& db, const NodeEntry& entry) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(absl::StrCat(
          "INSERT INTO node_history (", EntryColumns().list(), ") VALUES (",
          EntryColumns().parameters(), ") ON CONFLICT DO NOTHING")));
  EntryColumns().Bind(statement, entry);
  RETURN_IF_ERROR(statement.Run());
  return db.Changes() > 0;
}

absl::Status DeletePassedRuns(Database& db, const NodeEntry& like) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("DELETE FROM node_history WHERE node=?1 AND "
                              "source=?2 AND name='' AND severity=?3"));
  return statement.Bind(1, like.node)
      .Bind(2, static_cast<int64_t>(like.source))
      .Bind(3, static_cast<int64_t>(v1::NODE_ENTRY_SEVERITY_INFO))
      .Run();
}

absl::StatusOr<int> CountNodeEntries(Database& db, const NodeEntry& like) {
  ASSIGN_OR_RETURN(Statement count,
                   db.Prepare("SELECT count(*) FROM node_history WHERE node=?1 "
                              "AND source=?2 AND run=?3"));
  count.Bind(1, like.node)
      .Bind(2, static_cast<int64_t>(like.source))
      .Bind(3, like.run);
  RETURN_IF_ERROR(count.Step().status());
  return static_cast<int>(count.Int(0));
}

absl::StatusOr<std::vector<NodeEntry>> ReadNodeEntries(Database& db,
                                                       const std::string& node,
                                                       int64_t before,
                                                       int max) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(absl::StrCat(
          "SELECT ", StoredEntryColumns().list(),
          " FROM node_history WHERE node=?1 AND (?2 = 0 OR sequence < ?2) "
          "ORDER BY sequence DESC LIMIT ?3")));
  statement.Bind(1, node).Bind(2, before).Bind(3, static_cast<int64_t>(max));
  return StoredEntryColumns().ReadAll(statement);
}

absl::StatusOr<std::vector<std::string>> ReadFailedNodes(
    Database& db, v1::NodeEntrySource source, const std::string& run, int max) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare("SELECT DISTINCT node FROM node_history WHERE run=?1 AND "
                 "source=?2 AND severity=?3 ORDER BY node LIMIT ?4"));
  statement.Bind(1, run)
      .Bind(2, static_cast<int64_t>(source))
      .Bind(3, static_cast<int64_t>(v1::NODE_ENTRY_SEVERITY_ERROR))
      .Bind(4, static_cast<int64_t>(max));
  return ReadNames(statement);
}

absl::StatusOr<std::vector<std::string>> ReadNodesWithEntries(Database& db) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("SELECT DISTINCT node FROM node_history"));
  return ReadNames(statement);
}

absl::Status DeleteNodeEntriesBefore(Database& db, absl::Time time) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("DELETE FROM node_history WHERE at < ?1"));
  return statement.Bind(1, absl::ToUnixMicros(time)).Run();
}

absl::Status TrimNodeEntries(Database& db, const std::string& node) {
  const std::string by_site = BySiteCondition();
  for (const std::string& condition :
       {by_site, absl::StrCat("NOT ", by_site)}) {
    ASSIGN_OR_RETURN(
        Statement statement,
        db.Prepare(absl::StrCat(
            "DELETE FROM node_history WHERE node=?1 AND ", condition,
            " AND sequence <= (SELECT sequence FROM node_history "
            "WHERE node=?1 AND ",
            condition, " ORDER BY sequence DESC LIMIT 1 OFFSET ?2)")));
    RETURN_IF_ERROR(
        statement.Bind(1, node).Bind(2, int64_t{kMaxEntriesOfNode}).Run());
  }
  return absl::OkStatus();
}

absl::Status WriteNodeDrain(Database& db, const NodeDrain& drain) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(absl::StrCat("INSERT OR REPLACE INTO node_drains (",
                              DrainColumns().list(), ") VALUES (",
                              DrainColumns().parameters(), ")")));
  DrainColumns().Bind(statement, drain);
  return statement.Run();
}

absl::Status DeleteNodeDrain(Database& db, const std::string& node) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("DELETE FROM node_drains WHERE node=?1"));
  return statement.Bind(1, node).Run();
}

absl::StatusOr<std::vector<NodeDrain>> ReadNodeDrains(Database& db) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare(absl::StrCat("SELECT ", DrainColumns().list(),
                                           " FROM node_drains ORDER BY node")));
  return DrainColumns().ReadAll(statement);
}

absl::StatusOr<std::optional<NodeDrain>> FindNodeDrain(
    Database& db, const std::string& node) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare(absl::StrCat("SELECT ", DrainColumns().list(),
                                           " FROM node_drains WHERE node=?1")));
  statement.Bind(1, node);
  return DrainColumns().ReadFirst(statement);
}

}  // namespace carme::backend
