// What an access token may be when it is made. Pure functions; every message is
// for the person who makes it.
#ifndef CARME_BACKEND_IDENTITY_TOKEN_RULES_H_
#define CARME_BACKEND_IDENTITY_TOKEN_RULES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/role.h"
#include "common/net/networks.h"

namespace carme::backend {

// INVALID_ARGUMENT unless 1 to 64 printable ASCII characters.
absl::Status CheckTokenName(const std::string& name);
// INVALID_ARGUMENT: none, too many, or one that there is not.
// PERMISSION_DENIED: one above the role.
absl::Status CheckTokenScopes(Role role,
                              const std::vector<std::string>& scopes);
// INVALID_ARGUMENT: too many, or one is not a network.
absl::StatusOr<net::Networks> ParseTokenAddresses(
    const std::vector<std::string>& addresses);
// INVALID_ARGUMENT: past, or beyond `max_days`.
absl::Status CheckTokenExpiry(absl::Time now, absl::Time expires_at,
                              int max_days);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_TOKEN_RULES_H_
