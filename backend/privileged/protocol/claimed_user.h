// The user that a request names, as the process that has parsed the request
// sends it to the process that looks the user up.
#ifndef CARME_BACKEND_PRIVILEGED_PROTOCOL_CLAIMED_USER_H_
#define CARME_BACKEND_PRIVILEGED_PROTOCOL_CLAIMED_USER_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme {

struct ClaimedUser {
  std::string name;
  Uid uid;  // that the backend has for this user; not verified yet
};

// Everything is in fixed places, because root reads it.
inline constexpr size_t kClaimedUserBytes = 68;
// REQUIRES: a name of at most kMaxUserName bytes.
std::string EncodeClaimedUser(std::string_view name, Uid uid);
// Reads the first kClaimedUserBytes of `bytes`.
// INVALID_ARGUMENT: truncated, or an invalid user name.
absl::StatusOr<ClaimedUser> DecodeClaimedUser(std::string_view bytes);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PROTOCOL_CLAIMED_USER_H_
