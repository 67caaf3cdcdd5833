// The cookie that carries the session: read strictly, set and deleted. The
// `__Host-` prefix makes browsers refuse it from anyone but this very host.
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

// The token; empty without a cookie of this name. INVALID_ARGUMENT: two
// cookies of this name; UNAUTHENTICATED: a value that no token can be.
absl::StatusOr<std::string> SessionTokenOf(const HttpHeaders& headers);

// The value of Set-Cookie. Without `lasts` the cookie ends with the browser.
// REQUIRES: IsSessionToken(token).
std::string SessionCookie(std::string_view token,
                          std::optional<absl::Duration> lasts);
std::string DeletedSessionCookie();

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_SESSION_COOKIE_H_
