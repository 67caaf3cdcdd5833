// Project memberships that a test sets.
#ifndef CARME_TESTS_SUPPORT_FAKE_PROJECT_MEMBERSHIPS_H_
#define CARME_TESTS_SUPPORT_FAKE_PROJECT_MEMBERSHIPS_H_

#include <map>
#include <vector>

#include "absl/status/status.h"
#include "backend/projects/project_memberships.h"

namespace carme::backend {

// Not thread-safe. Users have no memberships unless the test sets them.
class FakeProjectMemberships : public ProjectMemberships {
 public:
  absl::StatusOr<std::vector<ProjectMembership>> MembershipsOf(
      Uid uid, bool /*all*/) const override {
    ++lookups;
    if (!error.ok()) return error;
    const auto found = memberships.find(uid);
    if (found == memberships.end()) return std::vector<ProjectMembership>();
    return found->second;
  }

  std::map<Uid, std::vector<ProjectMembership>> memberships;
  absl::Status error;  // the result, unless OK
  mutable int lookups = 0;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_SUPPORT_FAKE_PROJECT_MEMBERSHIPS_H_
