// Access tokens of scripts: `Authorization: Bearer carme_…`, parsed strictly.
#ifndef CARME_FRONTEND_GATEWAY_BEARER_TOKEN_H_
#define CARME_FRONTEND_GATEWAY_BEARER_TOKEN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

// The form of an access token: "carme_" and 43 characters of base64url.
bool IsAccessToken(std::string_view text);

// Whether the request has an Authorization field. Pages of other origins cannot
// send one: browsers do not add it, and a script that adds it needs a CORS
// preflight, which the portal always rejects.
bool IsScript(const HttpHeaders& headers);

// Returns the token, or "" without the field. UNAUTHENTICATED: another scheme
// or a malformed token. INVALID_ARGUMENT: the request also has a session
// cookie, so that the caller is ambiguous.
absl::StatusOr<std::string> AccessTokenOf(const HttpHeaders& headers);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_BEARER_TOKEN_H_
