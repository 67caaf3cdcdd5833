// The roles of users at this site, assigned by groups of the directory.
#ifndef CARME_BACKEND_IDENTITY_ROLE_H_
#define CARME_BACKEND_IDENTITY_ROLE_H_

#include <string_view>

namespace carme::backend {

enum class Role {
  kUser,     // own jobs only
  kManager,  // a user who may manage projects
  kSupport,  // a user who may read everything and change nothing of others
  kAdmin,    // everything
};

// As stored in tables: "user", "manager", "support", "admin".
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

// The inverse. An unknown name has the fewest permissions.
constexpr Role RoleNamed(std::string_view name) {
  for (const Role role : {Role::kManager, Role::kSupport, Role::kAdmin}) {
    if (name == RoleName(role)) return role;
  }
  return Role::kUser;
}

// Whether the role may read other users' data.
constexpr bool ReadsEverything(Role role) {
  return role == Role::kSupport || role == Role::kAdmin;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_ROLE_H_
