#include "backend/store/overlay.h"

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "backend/store/database_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Runs a statement whose rows, if any, are not needed.
absl::Status Execute(Database& db, const std::string& sql) {
  ASSIGN_OR_RETURN(Statement statement, db.Prepare(sql));
  return statement.Step().status();
}

absl::StatusOr<std::string> FileOf(Database* database) {
  std::string file;
  RETURN_IF_ERROR(database->Query([&file](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row,
                     db.Prepare("SELECT file FROM pragma_database_list WHERE "
                                "name = 'main'"));
    ASSIGN_OR_RETURN(const bool found, row.Step());
    if (found) file = row.Text(0);
    return absl::OkStatus();
  }));
  if (!file.empty()) return file;
  return absl::FailedPreconditionError(
      "database: a database in memory has no overlay");
}

// From the parenthesis before the first column.
absl::StatusOr<std::string> ColumnsOf(Database& db, const std::string& table) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare("SELECT sql FROM main.sqlite_schema WHERE "
                              "type = 'table' AND name = ?"));
  ASSIGN_OR_RETURN(const bool found, row.Bind(1, table).Step());
  const std::string definition = found ? row.Text(0) : "";
  const size_t columns = definition.find('(');
  if (columns != std::string::npos) return definition.substr(columns);
  return MarkAsDatabaseError(
      absl::InternalError(absl::StrCat("database: no table \"", table, "\"")));
}

absl::Status CopyIndexes(Database& db, const std::string& table) {
  constexpr std::string_view kBeforeName = "INDEX ";
  std::vector<std::string> definitions;
  {
    ASSIGN_OR_RETURN(Statement rows,
                     db.Prepare("SELECT sql FROM main.sqlite_schema WHERE "
                                "type = 'index' AND tbl_name = ? AND sql IS "
                                "NOT NULL"));
    rows.Bind(1, table);
    while (true) {
      ASSIGN_OR_RETURN(const bool has_row, rows.Step());
      if (!has_row) break;
      definitions.push_back(rows.Text(0));
    }
  }
  for (std::string& definition : definitions) {
    const size_t before = definition.find(kBeforeName);
    if (before == std::string::npos) continue;
    definition.insert(before + kBeforeName.size(), "temp.");
    RETURN_IF_ERROR(Execute(db, definition));
  }
  return absl::OkStatus();
}

// SQLite resolves the name of a table to the temporary one, if there is one.
// The copy has the constraints of the table, which "CREATE TABLE AS" drops.
absl::Status Copy(Database& db, const OverlayTable& table) {
  ASSIGN_OR_RETURN(const std::string columns, ColumnsOf(db, table.name));
  RETURN_IF_ERROR(Execute(
      db, absl::StrCat("CREATE TEMP TABLE ", table.name, " ", columns)));
  RETURN_IF_ERROR(CopyIndexes(db, table.name));
  if (!table.has_rows) return absl::OkStatus();
  return Execute(db, absl::StrCat("INSERT INTO temp.", table.name,
                                  " SELECT * FROM main.", table.name));
}

absl::Status CopyAll(Database& db, const std::vector<OverlayTable>& tables) {
  for (const OverlayTable& table : tables) {
    RETURN_IF_ERROR(Copy(db, table));
  }
  return absl::OkStatus();
}

absl::Status AllowTemporaryTables(Database& db) {
  RETURN_IF_ERROR(Execute(db, "PRAGMA temp_store = MEMORY"));
  // It refuses tables in memory, too. The file is opened for reading.
  return Execute(db, "PRAGMA query_only = OFF");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> OpenOverlay(
    Database* database, const std::vector<OverlayTable>& tables) {
  ASSIGN_OR_RETURN(const std::string file, FileOf(database));
  ASSIGN_OR_RETURN(std::unique_ptr<Database> overlay,
                   Database::OpenReadOnly(file));
  RETURN_IF_ERROR(overlay->Query(AllowTemporaryTables));
  RETURN_IF_ERROR(overlay->Transact(
      [&tables](Database& db) { return CopyAll(db, tables); }));
  return overlay;
}

}  // namespace carme::backend
