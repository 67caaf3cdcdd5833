// Parses, sets and deletes the session cookie. The `__Host-` prefix makes
// browsers reject it from any other host.
#ifndef CARME_FRONTEND_GATEWAY_SESSION_COOKIE_H_
#define CARME_FRONTEND_GATEWAY_SESSION_COOKIE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

inline constexpr std::string_view kSessionCookie = "__Host-carme";

// The form of a session token: 16 to 128 characters of base64url.
bool IsSessionToken(std::string_view text);

// Returns the token, or "" without the cookie. INVALID_ARGUMENT: two cookies of
// this name. UNAUTHENTICATED: a malformed token.
absl::StatusOr<std::string> SessionTokenOf(const HttpHeaders& headers);

// The value of Set-Cookie. Without `lasts`, a cookie of the browser session.
// REQUIRES: IsSessionToken(token).
std::string SessionCookie(std::string_view token,
                          std::optional<absl::Duration> lasts);
std::string DeletedSessionCookie();

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_SESSION_COOKIE_H_
