// Checks and parses the headers of a Connect request.
// https://connectrpc.com/docs/protocol
#ifndef CARME_FRONTEND_GATEWAY_CONNECT_REQUEST_H_
#define CARME_FRONTEND_GATEWAY_CONNECT_REQUEST_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "frontend/backend/backend_channel.h"
#include "frontend/gateway/method_table.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

inline constexpr absl::Duration kMaxCallTime = absl::Seconds(20);
inline constexpr absl::Duration kMaxStreamTime = absl::Hours(12);

// The content type must be the one of the method's kind. Forms and images
// cannot send it, so browsers send a preflight from other origins.
std::optional<HttpError> CheckContentType(const Method& method,
                                          const HttpHeaders& headers);

// Protocol version and compression. INVALID_ARGUMENT, UNIMPLEMENTED.
absl::Status CheckConnectHeaders(const Method& method,
                                 const HttpHeaders& headers);

// How long the call may take: Connect-Timeout-Ms, at most `max`.
// INVALID_ARGUMENT.
absl::StatusOr<absl::Duration> TimeoutOf(const HttpHeaders& headers,
                                         absl::Duration max);

// The call with its metadata. Nothing that a client sends becomes metadata
// except the token of its cookie or a script's access token, its address as
// received from the proxy, and its User-Agent in printable ASCII, at most 200
// bytes. The errors of AccessTokenOf(), and of SessionTokenOf() if the method
// needs a session.
absl::StatusOr<BackendCall> BackendCallFor(const Method& method,
                                           const HttpRequest& request,
                                           const std::string& request_id,
                                           absl::Time now);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_CONNECT_REQUEST_H_
