// What a person is at this site, by the directory's groups.
#ifndef CARME_BACKEND_IDENTITY_ROLE_H_
#define CARME_BACKEND_IDENTITY_ROLE_H_

#include <string_view>

namespace carme::backend {

enum class Role {
  kUser,     // their own jobs
  kManager,  // a user who may manage projects
  kSupport,  // a user who may read everything, and change nothing of others
  kAdmin,    // all of it
};

// As it stands in the tables: "user", "manager", "support", "admin".
constexpr std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kManager:
      return "manager";
    case Role::kSupport:
      return "support";
    case Role::kAdmin:
      return "admin";
    case Role::kUser:
      break;
  }
  return "user";
}

// The other way. A name that is none of them has the least rights.
constexpr Role RoleNamed(std::string_view name) {
  for (const Role role : {Role::kManager, Role::kSupport, Role::kAdmin}) {
    if (name == RoleName(role)) return role;
  }
  return Role::kUser;
}

// Whether the role reads what is everybody's.
constexpr bool ReadsEverything(Role role) {
  return role == Role::kSupport || role == Role::kAdmin;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_ROLE_H_
