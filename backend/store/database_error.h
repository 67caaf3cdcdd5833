// Tells what the database said from what is said to people.
#ifndef CARME_BACKEND_STORE_DATABASE_ERROR_H_
#define CARME_BACKEND_STORE_DATABASE_ERROR_H_

#include "absl/status/status.h"

namespace carme::backend {

// Whether Database or a Statement of its made this error, or one that was
// copied from it. Its words name tables and files.
bool IsDatabaseError(const absl::Status& status);

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_DATABASE_ERROR_H_
