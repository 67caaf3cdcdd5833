// Looks up the home directories of users.
#ifndef CARME_BACKEND_IDENTITY_HOME_LOOKUP_H_
#define CARME_BACKEND_IDENTITY_HOME_LOOKUP_H_

#include <string>

#include "absl/status/statusor.h"

namespace carme::backend {

// Implemented by NssHomeLookup. Thread-safe.
class HomeLookup {
 public:
  virtual ~HomeLookup() = default;
  // The home directory of the user on the nodes. NOT_FOUND; other errors: not
  // known now. May block.
  virtual absl::StatusOr<std::string> HomeOf(const std::string& username) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_HOME_LOOKUP_H_
