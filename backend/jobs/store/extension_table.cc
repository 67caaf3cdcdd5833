#include "backend/jobs/store/extension_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/model/job_proto.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr char kSelect[] =
    "SELECT id, job, coalesce(key, ''), from_min, to_min, asked_at, done "
    "FROM job_extensions ";

ExtensionRow RowAt(const Statement& row) {
  return {.id = row.Int(0),
          .job = JobId(row.Text(1)),
          .key = row.Text(2),
          .from = absl::Minutes(row.Int(3)),
          .to = absl::Minutes(row.Int(4)),
          .asked_at = absl::FromUnixMicros(row.Int(5)),
          .done = row.Int(6) != 0};
}

absl::StatusOr<std::optional<ExtensionRow>> First(Statement rows) {
  ASSIGN_OR_RETURN(const bool found, rows.Step());
  if (!found) return std::nullopt;
  return RowAt(rows);
}

}  // namespace

absl::StatusOr<std::optional<ExtensionRow>> FindExtension(
    Database& db, const JobId& job, const std::string& key) {
  if (key.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(Statement rows, db.Prepare(absl::StrCat(
                                       kSelect, "WHERE job = ? AND key = ?")));
  rows.Bind(1, job.value()).Bind(2, key);
  return First(std::move(rows));
}

absl::StatusOr<std::optional<ExtensionRow>> OpenExtension(Database& db,
                                                          const JobId& job) {
  ASSIGN_OR_RETURN(Statement rows, db.Prepare(absl::StrCat(
                                       kSelect, "WHERE job = ? AND done = 0")));
  rows.Bind(1, job.value());
  return First(std::move(rows));
}

absl::StatusOr<std::vector<ExtensionRow>> OpenExtensions(Database& db) {
  ASSIGN_OR_RETURN(Statement rows,
                   db.Prepare(absl::StrCat(kSelect, "WHERE done = 0")));
  std::vector<ExtensionRow> open;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return open;
    open.push_back(RowAt(rows));
  }
}

absl::StatusOr<int64_t> CountExtensions(Database& db, const JobId& job) {
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare("SELECT count(*) FROM job_extensions WHERE job = ?"));
  RETURN_IF_ERROR(rows.Bind(1, job.value()).Step().status());
  return rows.Int(0);
}

absl::StatusOr<int64_t> InsertExtension(Database& db, const ExtensionRow& row) {
  ASSIGN_OR_RETURN(
      Statement insert,
      db.Prepare("INSERT INTO job_extensions (job, key, from_min, to_min, "
                 "asked_at, done) VALUES (?, ?, ?, ?, ?, 0) RETURNING id"));
  insert.Bind(1, row.job.value());
  if (row.key.empty()) {
    insert.BindNull(2);
  } else {
    insert.Bind(2, row.key);
  }
  insert.Bind(3, absl::ToInt64Minutes(row.from))
      .Bind(4, absl::ToInt64Minutes(row.to))
      .Bind(5, absl::ToUnixMicros(row.asked_at));
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
