// Distinguishes errors of the database from errors with messages for users.
#ifndef CARME_BACKEND_STORE_DATABASE_ERROR_H_
#define CARME_BACKEND_STORE_DATABASE_ERROR_H_

#include "absl/status/status.h"

namespace carme::backend {

// Whether this error, or the one that it was copied from, comes from Database
// or Statement. Its message names tables and files.
bool IsDatabaseError(const absl::Status& status);

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_DATABASE_ERROR_H_
