// Shared code of the tables of sessions and access tokens.
#ifndef CARME_BACKEND_IDENTITY_SESSION_TABLE_ROWS_H_
#define CARME_BACKEND_IDENTITY_SESSION_TABLE_ROWS_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/store/database.h"
#include "common/status.h"

namespace carme::backend {

inline absl::Time TimeAt(const Statement& row, int column) {
  return absl::FromUnixMicros(row.Int(column));
}

// Every row that `sql` returns for `now` (?1), converted by `row_of`.
template <typename Row>
absl::StatusOr<std::vector<Row>> ReadRows(Database& database,
                                          std::string_view sql, absl::Time now,
                                          Row (*row_of)(const Statement&)) {
  std::vector<Row> rows;
  RETURN_IF_ERROR(database.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row, db.Prepare(sql));
    row.Bind(1, absl::ToUnixMicros(now));
    while (true) {
      ASSIGN_OR_RETURN(const bool more, row.Step());
      if (!more) return absl::OkStatus();
      rows.push_back(row_of(row));
    }
  }));
  return rows;
}

// Runs `sql` for each of `rows` with the values set by `bind`, in one
// transaction.
template <typename Row, typename Bind>
absl::Status WriteEach(Database& database, std::string_view sql,
                       const std::vector<Row>& rows, const Bind& bind) {
  if (rows.empty()) return absl::OkStatus();
  return database.Transact([&](Database& db) -> absl::Status {
    for (const Row& row : rows) {
      ASSIGN_OR_RETURN(Statement write, db.Prepare(sql));
      bind(row, write);
      RETURN_IF_ERROR(write.Run());
    }
    return absl::OkStatus();
  });
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_TABLE_ROWS_H_
