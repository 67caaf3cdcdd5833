// A person as the site's directory describes them.
#ifndef CARME_BACKEND_IDENTITY_PERSON_H_
#define CARME_BACKEND_IDENTITY_PERSON_H_

#include <string>
#include <vector>

#include "backend/identity/role.h"
#include "backend/identity/session.h"
#include "common/ids.h"

namespace carme::backend {

struct Person {
  std::string username;  // as spelled in the directory, not as typed
  std::string display_name;
  Uid uid = kNoUid;
  Role role = Role::kUser;
  // Names of the groups below the configured base; for policy.
  std::vector<std::string> groups = {};
  std::string mail = {};  // as in the directory; empty: none
};

// The owner of the session, without groups.
inline Person PersonOf(const Session& session) {
  return {.username = session.username,
          .display_name = session.display_name,
          .uid = session.uid,
          .role = session.role};
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_PERSON_H_
