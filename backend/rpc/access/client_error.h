// Hides internal errors from clients.
#ifndef CARME_BACKEND_RPC_ACCESS_CLIENT_ERROR_H_
#define CARME_BACKEND_RPC_ACCESS_CLIENT_ERROR_H_

#include <string_view>

#include "absl/status/status.h"
#include "backend/rpc/access/caller.h"

namespace carme::backend {

// Returns a refusal unchanged: its message is for users. Any other error may
// name tables, files or sockets; it is logged with the request id, and the
// result is UNAVAILABLE "<what> cannot be reached now: try again". Example for
// `what`: "templates".
absl::Status ClientError(const absl::Status& status, const Caller& caller,
                         std::string_view what);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_CLIENT_ERROR_H_
