// Home directories below /home.
#ifndef CARME_TESTS_SUPPORT_FAKE_HOME_LOOKUP_H_
#define CARME_TESTS_SUPPORT_FAKE_HOME_LOOKUP_H_

#include <string>

#include "absl/status/status.h"
#include "backend/identity/home_lookup.h"

namespace carme::backend {

// Not thread-safe while `error` is set.
class FakeHomeLookup : public HomeLookup {
 public:
  absl::StatusOr<std::string> HomeOf(const std::string& username) override {
    if (!error.ok()) return error;
    return "/home/" + username;
  }

  absl::Status error;  // the result, unless OK
};

}  // namespace carme::backend

#endif  // CARME_TESTS_SUPPORT_FAKE_HOME_LOOKUP_H_
