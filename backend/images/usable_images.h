// The images that a user may start a job in.
#ifndef CARME_BACKEND_IMAGES_USABLE_IMAGES_H_
#define CARME_BACKEND_IMAGES_USABLE_IMAGES_H_

#include <vector>

#include "backend/identity/person.h"
#include "backend/policy/spec/limits.h"

namespace carme::backend {

// Implemented by ImageCatalogue. Thread-safe.
class UsableImages {
 public:
  virtual ~UsableImages() = default;
  // The default first. May block for the directory or the database.
  virtual std::vector<Image> UsableBy(const Person& person) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_USABLE_IMAGES_H_
