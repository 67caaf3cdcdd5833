// Errors of SQLite as statuses, distinguished from errors with messages for
// users.
#ifndef CARME_BACKEND_STORE_DATABASE_ERROR_H_
#define CARME_BACKEND_STORE_DATABASE_ERROR_H_

#include <string_view>

#include "absl/status/status.h"

struct sqlite3;

namespace carme::backend {

// Whether this error, or the one that it was copied from, comes from Database
// or Statement. Its message names tables and files.
bool IsDatabaseError(const absl::Status& status);

// Marks an error for IsDatabaseError(); copies keep the mark.
absl::Status MarkAsDatabaseError(absl::Status error);

// The last error of the connection. `what` names the operation.
// ALREADY_EXISTS: a constraint; RESOURCE_EXHAUSTED: the disk is full;
// UNAVAILABLE: busy, or the disk failed; DATA_LOSS: the file is corrupt or not
// a database; others INTERNAL.
absl::Status SqliteError(sqlite3* connection, std::string_view what);

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_DATABASE_ERROR_H_
