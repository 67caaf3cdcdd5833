#include "backend/jobs/store/extension_table.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

Column<ExtensionRow> MinutesColumn(const char* name,
                                   absl::Duration ExtensionRow::*member) {
  return ConvertedColumn<ExtensionRow, int64_t>(
      name,
      [member](const ExtensionRow& row) {
        return absl::ToInt64Minutes(row.*member);
      },
      [member](int64_t minutes, ExtensionRow* row) {
        row->*member = absl::Minutes(minutes);
      });
}

const RowMapper<ExtensionRow>& ExtensionColumns() {
  static const auto* const columns = new RowMapper<ExtensionRow>({
      {"id", &ExtensionRow::id},
      {"job", &ExtensionRow::job},
      ConvertedColumn<ExtensionRow, std::optional<std::string>>(
          "key",
          [](const ExtensionRow& row) {
            return row.key.empty() ? std::nullopt : std::optional(row.key);
          },
          [](std::optional<std::string> key, ExtensionRow* row) {
            row->key = std::move(key).value_or("");
          }),
      MinutesColumn("from_min", &ExtensionRow::from),
      MinutesColumn("to_min", &ExtensionRow::to),
      {"asked_at", &ExtensionRow::asked_at},
      {"done", &ExtensionRow::done},
  });
  return *columns;
}

std::string SelectExtension(const char* condition) {
  return absl::StrCat("SELECT ", ExtensionColumns().list(),
                      " FROM job_extensions WHERE ", condition);
}

}  // namespace

absl::StatusOr<std::optional<ExtensionRow>> FindExtension(
    Database& db, const JobId& job, const std::string& key) {
  if (key.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(Statement rows,
                   db.Prepare(SelectExtension("job = ? AND key = ?")));
  rows.Bind(1, job.value()).Bind(2, key);
  return ExtensionColumns().ReadFirst(rows);
}

absl::StatusOr<std::optional<ExtensionRow>> OpenExtension(Database& db,
                                                          const JobId& job) {
  ASSIGN_OR_RETURN(Statement rows,
                   db.Prepare(SelectExtension("job = ? AND done = 0")));
  rows.Bind(1, job.value());
  return ExtensionColumns().ReadFirst(rows);
}

absl::StatusOr<std::vector<ExtensionRow>> OpenExtensions(Database& db) {
  ASSIGN_OR_RETURN(Statement rows, db.Prepare(SelectExtension("done = 0")));
  return ExtensionColumns().ReadAll(rows);
}

absl::StatusOr<int64_t> CountExtensions(Database& db, const JobId& job) {
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare("SELECT count(*) FROM job_extensions WHERE job = ?"));
  RETURN_IF_ERROR(rows.Bind(1, job.value()).Step().status());
  return rows.Int(0);
}

absl::StatusOr<int64_t> InsertExtension(Database& db, const ExtensionRow& row) {
  static const RowMapper<ExtensionRow> written = ExtensionColumns().Only(
      {"job", "key", "from_min", "to_min", "asked_at", "done"});
  ASSIGN_OR_RETURN(
      Statement insert,
      db.Prepare(written.InsertInto("job_extensions") + " RETURNING id"));
  written.Bind(insert, row);
  ASSIGN_OR_RETURN(const bool inserted, insert.Step());
  if (!inserted) return absl::InternalError("an extension without an id");
  const int64_t id = insert.Int(0);
  RETURN_IF_ERROR(insert.Step().status());
  return id;
}

absl::Status MarkExtensionDone(Database& db, int64_t id) {
  ASSIGN_OR_RETURN(
      Statement update,
      db.Prepare("UPDATE job_extensions SET done = 1 WHERE id = ?"));
  return update.Bind(1, id).Run();
}

absl::Status RemoveExtension(Database& db, int64_t id) {
  ASSIGN_OR_RETURN(Statement remove,
                   db.Prepare("DELETE FROM job_extensions WHERE id = ?"));
  return remove.Bind(1, id).Run();
}

absl::Status WriteSpec(Database& db, const JobId& job, const JobSpec& spec) {
  ASSIGN_OR_RETURN(Statement update,
                   db.Prepare("UPDATE jobs SET spec = ? WHERE id = ?"));
  return update.BindBlob(1, SerializeSpec(spec)).Bind(2, job.value()).Run();
}

}  // namespace carme::backend
