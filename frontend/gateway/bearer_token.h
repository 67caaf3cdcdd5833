// The access token of a script: `Authorization: Bearer carme_…`, read strictly.
#ifndef CARME_FRONTEND_GATEWAY_BEARER_TOKEN_H_
#define CARME_FRONTEND_GATEWAY_BEARER_TOKEN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

// The form of an access token: "carme_" and 43 characters of base64url.
bool IsAccessToken(std::string_view text);

// Whether the request is a script's, by its own word. No page of another
// origin can make a browser say it: the field is none that a browser adds, and
// a script that adds it is asked for leave first, which we never give.
bool IsScript(const HttpHeaders& headers);

// The token; empty without the field. UNAUTHENTICATED: another scheme, or
// nothing that a token can be. INVALID_ARGUMENT: a session's cookie is there
// too, so that it is not clear whose call this is.
absl::StatusOr<std::string> AccessTokenOf(const HttpHeaders& headers);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_BEARER_TOKEN_H_
