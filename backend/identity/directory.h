// Who people are and whether they know their password. What stands behind it
// is the site's own.
#ifndef CARME_BACKEND_IDENTITY_DIRECTORY_H_
#define CARME_BACKEND_IDENTITY_DIRECTORY_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "backend/identity/session.h"
#include "common/ids.h"

namespace carme {

struct Person {
  std::string username;  // as the directory writes it, not as it was typed
  std::string display_name;
  Uid uid = kNoUid;
  Role role = Role::kUser;
};

// Thread-safe.
class Directory {
 public:
  virtual ~Directory() = default;
  // Blocks for a few time-outs of the configuration at most.
  // UNAUTHENTICATED: wrong password, unknown user, or one who is not allowed;
  // the message says which and is for the log alone. UNAVAILABLE: the directory
  // gave no answer that can be trusted; the message is for the log.
  virtual absl::StatusOr<Person> CheckPassword(std::string_view username,
                                               std::string_view password) = 0;
};

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_DIRECTORY_H_
