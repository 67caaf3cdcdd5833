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

// The content type is exactly the one of the method's kind: none that a form
// or an image could send, so a browser asks before it sends from elsewhere.
std::optional<HttpError> CheckContentType(const Method& method,
                                          const HttpHeaders& headers);

// Protocol version and compression. INVALID_ARGUMENT, UNIMPLEMENTED.
absl::Status CheckConnectHeaders(const Method& method,
                                 const HttpHeaders& headers);

// How long the call may take: Connect-Timeout-Ms, at most `most`.
// INVALID_ARGUMENT.
absl::StatusOr<absl::Duration> TimeoutOf(const HttpHeaders& headers,
                                         absl::Duration most);

// The call with its metadata, which are made here from scratch: nothing that a
// client sends becomes metadata except the cookie's token or a script's access
// token, its address as the proxy saw it, and its User-Agent in printable
// ASCII, 200 bytes at most. The errors of AccessTokenOf(), and of
// SessionTokenOf() when the method needs a session.
absl::StatusOr<BackendCall> BackendCallFor(const Method& method,
                                           const HttpRequest& request,
                                           const std::string& request_id,
                                           absl::Time now);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_CONNECT_REQUEST_H_
