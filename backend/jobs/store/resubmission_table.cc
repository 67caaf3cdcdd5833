#include "backend/jobs/store/resubmission_table.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<ResubmissionRow>& ResubmissionColumns() {
  static const auto* const columns = new RowMapper<ResubmissionRow>({
      {"job", &ResubmissionRow::job},
      ConvertedColumn<ResubmissionRow, Blob>(
          "spec",
          [](const ResubmissionRow& row) {
            return Blob{SerializeSpec(row.spec)};
          },
          [](const Blob& blob, ResubmissionRow* row) -> absl::Status {
            ASSIGN_OR_RETURN(row->spec, ParseSpec(blob.bytes));
            return absl::OkStatus();
          }),
      {"number", &ResubmissionRow::number},
  });
  return *columns;
}

}  // namespace

absl::Status InsertResubmission(Database& db, const ResubmissionRow& row) {
  ASSIGN_OR_RETURN(
      Statement insert,
      db.Prepare(absl::StrCat("INSERT INTO job_resubmissions (",
                              ResubmissionColumns().list(), ") VALUES (",
                              ResubmissionColumns().parameters(), ")")));
  ResubmissionColumns().Bind(insert, row);
  return insert.Run();
}

absl::StatusOr<std::vector<ResubmissionRow>> ReadEndedResubmissions(
    Database& db, int max) {
  // A subquery, because both tables have a column `spec`.
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(
          "SELECT ", ResubmissionColumns().list(),
          " FROM job_resubmissions WHERE (SELECT ended_at FROM jobs WHERE "
          "id = job) IS NOT NULL ORDER BY (SELECT ended_at FROM jobs WHERE "
          "id = job) LIMIT ?")));
  rows.Bind(1, int64_t{max});
  return ResubmissionColumns().ReadAll(rows);
}

absl::Status DeleteResubmission(Database& db, const JobId& job) {
  ASSIGN_OR_RETURN(Statement remove,
                   db.Prepare("DELETE FROM job_resubmissions WHERE job = ?"));
  return remove.Bind(1, job.value()).Run();
}

}  // namespace carme::backend
