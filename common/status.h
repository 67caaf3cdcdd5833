// Functions that this version of Abseil lacks: a status from errno, and macros
// for early returns.
#ifndef CARME_COMMON_STATUS_H_
#define CARME_COMMON_STATUS_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme {

// `what` names the operation and its object: `open "/etc/carme/proxy.toml"`.
// The code depends on errno: ENOENT is NOT_FOUND, EACCES is PERMISSION_DENIED,
// and so on; others are INTERNAL.
absl::Status ErrnoError(int error, std::string_view what);

// The code and the message, without the details that ToString() adds: for log
// lines.
std::string StatusText(const absl::Status& status);

// Adds `prefix: ` to the message, without the details; OK stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view prefix);

}  // namespace carme

#define CARME_CONCAT_INNER_(a, b) a##b
#define CARME_CONCAT_(a, b) CARME_CONCAT_INNER_(a, b)

#define RETURN_IF_ERROR(expression)                \
  do {                                             \
    absl::Status carme_status_ = (expression);     \
    if (!carme_status_.ok()) return carme_status_; \
  } while (false)

#define ASSIGN_OR_RETURN(target, expression) \
  ASSIGN_OR_RETURN_(CARME_CONCAT_(carme_or_, __LINE__), target, expression)
#define ASSIGN_OR_RETURN_(holder, target, expression)  \
  auto holder = (expression);                          \
  if (!holder.ok()) return std::move(holder).status(); \
  target = std::move(holder).value()

#endif  // CARME_COMMON_STATUS_H_
