// Images that a test offers to users.
#ifndef CARME_TESTS_SUPPORT_FAKE_USABLE_IMAGES_H_
#define CARME_TESTS_SUPPORT_FAKE_USABLE_IMAGES_H_

#include <map>
#include <string>
#include <vector>

#include "backend/images/usable_images.h"

namespace carme::backend {

// Not thread-safe while the test changes it.
class FakeUsableImages : public UsableImages {
 public:
  std::vector<Image> UsableBy(const Person& person) override {
    return images[person.username];
  }

  std::map<std::string, std::vector<Image>> images;  // by user name
};

}  // namespace carme::backend

#endif  // CARME_TESTS_SUPPORT_FAKE_USABLE_IMAGES_H_
