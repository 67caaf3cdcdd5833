// How an access token looks: its secret, its id, and the id by which it stands
// where a session's could. Pure functions but for the random ones.
#ifndef CARME_BACKEND_IDENTITY_TOKEN_FORM_H_
#define CARME_BACKEND_IDENTITY_TOKEN_FORM_H_

#include <string>
#include <string_view>

#include "common/ids.h"

namespace carme::backend {

// "carme_" and 43 characters of base64url: 256 random bits.
std::string NewTokenSecret();
std::string NewTokenId();  // public

// Whether it has the form of a secret. No session's token is as long.
bool IsAccessToken(std::string_view text);
// "token-…"
SessionId SessionIdOf(std::string_view token_id);
bool IsTokenSession(const SessionId& id);
// REQUIRES: IsTokenSession.
std::string TokenIdOf(const SessionId& id);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_TOKEN_FORM_H_
