#include "backend/logs/log_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Without the sequence, which SQLite assigns.
const RowMapper<LogRow>& LogColumns() {
  static const auto* const columns = new RowMapper<LogRow>({
      {"at", &LogRow::at},
      {"source", &LogRow::source},
      {"severity", &LogRow::severity},
      {"service", &LogRow::service},
      {"node", &LogRow::node},
      {"job_id", &LogRow::job_id},
      {"slurm_job_id", &LogRow::slurm_job_id},
      {"user", &LogRow::user},
      {"request_id", &LogRow::request_id},
      {"message", &LogRow::message},
  });
  return *columns;
}

const RowMapper<LogRow>& StoredLogColumns() {
  static const auto* const columns = new RowMapper<LogRow>({
      {"sequence", &LogRow::sequence},
      {"at", &LogRow::at},
      {"source", &LogRow::source},
      {"severity", &LogRow::severity},
      {"service", &LogRow::service},
      {"node", &LogRow::node},
      {"job_id", &LogRow::job_id},
      {"slurm_job_id", &LogRow::slurm_job_id},
      {"user", &LogRow::user},
      {"request_id", &LogRow::request_id},
      {"message", &LogRow::message},
  });
  return *columns;
}

absl::StatusOr<int64_t> CountLogRows(Database& db) {
  ASSIGN_OR_RETURN(Statement count,
                   db.Prepare("SELECT count(*) FROM service_log"));
  RETURN_IF_ERROR(count.Step().status());
  return count.Int(0);
}

}  // namespace

absl::Status InsertLogRow(Database& db, const LogRow& row) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(absl::StrCat("INSERT INTO service_log (", LogColumns().list(),
                              ") VALUES (", LogColumns().parameters(), ")")));
  LogColumns().Bind(statement, row);
  return statement.Run();
}

absl::StatusOr<std::vector<LogRow>> ReadLogRows(Database& db,
                                                const LogQuery& query,
                                                int64_t before, int max) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(absl::StrCat(
          "SELECT ", StoredLogColumns().list(),
          " FROM service_log WHERE (?1 = 0 OR sequence < ?1)"
          " AND (?2 = '' OR job_id = ?2) AND (?3 = 0 OR slurm_job_id = ?3)"
          " AND (?4 = '' OR node = ?4) AND (?5 = '' OR service = ?5)"
          " AND (?6 = '' OR request_id = ?6) AND severity >= ?7"
          " AND at >= ?8 AND at < ?9 ORDER BY sequence DESC LIMIT ?10")));
  const auto micros = [](absl::Time time) { return absl::ToUnixMicros(time); };
  statement.Bind(1, before).Bind(2, query.job_id);
  statement.Bind(3, static_cast<int64_t>(query.slurm_job_id));
  statement.Bind(4, query.node).Bind(5, query.service);
  statement.Bind(6, query.request_id);
  statement.Bind(7, static_cast<int64_t>(query.min_severity));
  statement.Bind(8, micros(query.since)).Bind(9, micros(query.until));
  statement.Bind(10, static_cast<int64_t>(max));
  return StoredLogColumns().ReadAll(statement);
}

absl::Status DeleteLogRowsBefore(Database& db, absl::Time time) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("DELETE FROM service_log WHERE at < ?1"));
  return statement.Bind(1, absl::ToUnixMicros(time)).Run();
}

absl::Status TrimLogSource(Database& db, const std::string& source, int max) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare("DELETE FROM service_log WHERE source = ?1 AND sequence <= "
                 "(SELECT sequence FROM service_log WHERE source = ?1 "
                 "ORDER BY sequence DESC LIMIT 1 OFFSET ?2)"));
  return statement.Bind(1, source).Bind(2, static_cast<int64_t>(max)).Run();
}

absl::Status TrimLog(Database& db, int max) {
  ASSIGN_OR_RETURN(const int64_t rows, CountLogRows(db));
  for (int64_t excess = rows - max; excess > 0;) {
    std::string source;
    int64_t largest = 0;
    {
      ASSIGN_OR_RETURN(
          Statement find,
          db.Prepare("SELECT source, count(*) AS size FROM service_log "
                     "GROUP BY source ORDER BY size DESC LIMIT 1"));
      RETURN_IF_ERROR(find.Step().status());
      source = find.Text(0);
      largest = find.Int(1);
    }
    // Half of it at a time, so that the next largest has its turn.
    const int64_t removed = std::min(excess, (largest + 1) / 2);
    RETURN_IF_ERROR(
        TrimLogSource(db, source, static_cast<int>(largest - removed)));
    excess -= removed;
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
