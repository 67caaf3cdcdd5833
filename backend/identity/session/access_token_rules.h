// The format of access tokens, and the rules for creating one. Pure functions
// except for the random ones; every message is for the creator.
#ifndef CARME_BACKEND_IDENTITY_SESSION_ACCESS_TOKEN_RULES_H_
#define CARME_BACKEND_IDENTITY_SESSION_ACCESS_TOKEN_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/role.h"
#include "common/ids.h"
#include "common/net/networks.h"

namespace carme::backend {

// "carme_" and 43 characters of base64url: 256 random bits.
std::string NewTokenSecret();
std::string NewTokenId();  // public

// Whether the text has the format of a secret. Session tokens are shorter.
bool IsAccessToken(std::string_view text);
// "token-…"
SessionId SessionIdOf(std::string_view token_id);
bool IsTokenSession(const SessionId& id);
// REQUIRES: IsTokenSession.
std::string TokenIdOf(const SessionId& id);

// INVALID_ARGUMENT unless 1 to 64 printable ASCII characters.
absl::Status CheckTokenName(const std::string& name);
// INVALID_ARGUMENT: none, too many, an unknown one, or one that must be alone
// is not.
// PERMISSION_DENIED: one exceeds the role.
absl::Status CheckTokenScopes(Role role,
                              const std::vector<std::string>& scopes);
// INVALID_ARGUMENT: too many, or one is not a network.
absl::StatusOr<net::Networks> ParseTokenAddresses(
    const std::vector<std::string>& addresses);
// INVALID_ARGUMENT: past, or beyond `max_days`.
absl::Status CheckTokenExpiry(absl::Time now, absl::Time expires_at,
                              int max_days);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_ACCESS_TOKEN_RULES_H_
