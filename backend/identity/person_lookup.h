// Looks up users of the site by name.
#ifndef CARME_BACKEND_IDENTITY_PERSON_LOOKUP_H_
#define CARME_BACKEND_IDENTITY_PERSON_LOOKUP_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "backend/identity/person.h"

namespace carme::backend {

// Implemented by Directory and, with results that may be some minutes old, by
// DirectoryCache. Thread-safe.
class PersonLookup {
 public:
  virtual ~PersonLookup() = default;
  // A user with the groups and the role of the directory. NOT_FOUND: unknown or
  // not allowed; other errors: not known now. Messages are for the log. May
  // block for the directory.
  virtual absl::StatusOr<Person> LookUp(std::string_view username) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_PERSON_LOOKUP_H_
