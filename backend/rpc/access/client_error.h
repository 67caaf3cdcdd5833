// What a caller may read of an error.
#ifndef CARME_BACKEND_RPC_ACCESS_CLIENT_ERROR_H_
#define CARME_BACKEND_RPC_ACCESS_CLIENT_ERROR_H_

#include <string_view>

#include "absl/status/status.h"
#include "backend/rpc/access/caller.h"

namespace carme::backend {

// Refusals are in words for people and stay as they are. All else, which names
// tables, files or sockets, goes to the log with the request, and the caller
// hears UNAVAILABLE "<what> cannot be reached now: try again", `what` such as
// "templates".
absl::Status ClientError(const absl::Status& status, const Caller& caller,
                  std::string_view what);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_CLIENT_ERROR_H_
