#include "backend/store/database_error.h"

#include <sqlite3.h>

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

constexpr char kDatabaseMark[] = "carme/database";

absl::StatusCode CodeOf(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_CONSTRAINT:
      return absl::StatusCode::kAlreadyExists;
    case SQLITE_FULL:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_BUSY:
    case SQLITE_IOERR:
      return absl::StatusCode::kUnavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

bool IsDatabaseError(const absl::Status& status) {
  return status.GetPayload(kDatabaseMark).has_value();
}

absl::Status MarkAsDatabaseError(absl::Status error) {
  error.SetPayload(kDatabaseMark, absl::Cord());
  return error;
}

absl::Status SqliteError(sqlite3* connection, std::string_view what) {
  return MarkAsDatabaseError(
      absl::Status(CodeOf(sqlite3_errcode(connection)),
                   absl::StrCat("database: ", std::string(what), ": ",
                                sqlite3_errmsg(connection))));
}

}  // namespace carme::backend
