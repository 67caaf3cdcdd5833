// What a client reads if the backend does not respond.
#ifndef CARME_FRONTEND_BACKEND_MESSAGES_H_
#define CARME_FRONTEND_BACKEND_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::frontend::backend_connection_messages {

inline constexpr ErrorTemplate kReplaced{
    absl::StatusCode::kUnavailable, "BACKEND_CONNECTION_REPLACED",
    "the connection to the backend was replaced; try again"};

inline constexpr ErrorTemplate kUnreachable{
    absl::StatusCode::kUnavailable, "BACKEND_CONNECTION_UNREACHABLE",
    "Carme's backend cannot be reached; try again"};

inline constexpr ErrorTemplate kLate{
    absl::StatusCode::kDeadlineExceeded, "BACKEND_CONNECTION_LATE",
    "Carme's backend did not answer in time; try again"};

inline constexpr ErrorTemplate kOlder{
    absl::StatusCode::kUnimplemented, "BACKEND_CONNECTION_OLDER",
    "Carme's backend is older than this portal and cannot do this yet; an "
    "administrator must update carme-backend"};

}  // namespace carme::frontend::backend_connection_messages

#endif  // CARME_FRONTEND_BACKEND_MESSAGES_H_
