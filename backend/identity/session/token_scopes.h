// The scopes of access tokens. Each rpc of the API declares its scope; the
// program does not start if that scope is not in this table.
#ifndef CARME_BACKEND_IDENTITY_SESSION_TOKEN_SCOPES_H_
#define CARME_BACKEND_IDENTITY_SESSION_TOKEN_SCOPES_H_

#include <array>
#include <string_view>

#include "backend/identity/role.h"

namespace carme::backend {

// The roles that may create a token with a scope.
enum class ScopeFor {
  kAllUsers,
  kSupport,  // and administrators
  kAdmins,
};

struct TokenScope {
  std::string_view word;
  std::string_view text;  // shown to the creator of a token
  ScopeFor roles = ScopeFor::kAllUsers;
  // A token with this scope has no other: it is part of an address, which
  // programs store and show.
  bool is_alone = false;
};

inline constexpr std::array kTokenScopes = {
    TokenScope{"account:read",
               "see who you are, your sessions, tokens and factors"},
    TokenScope{
        "jobs:read",
        "see your jobs, environments, projects, templates, limits, images and "
        "storage, and what the cluster has"},
    TokenScope{"jobs:write",
               "submit and stop your jobs, write your environments"},
    TokenScope{"jobs:open", "open the apps in your jobs"},
    TokenScope{"projects:read", "see the projects that you may see"},
    TokenScope{"projects:write",
               "create and change projects and their members, as your role "
               "allows"},
    TokenScope{"templates:read", "see the templates that you may see"},
    TokenScope{"templates:write", "create, change and assign templates",
               ScopeFor::kAdmins},
    TokenScope{"limits:read", "see the limits that you may see"},
    TokenScope{"limits:write", "set and remove limits", ScopeFor::kAdmins},
    TokenScope{"reservations:read", "see reservations"},
    TokenScope{"reservations:write", "create and cancel reservations"},
    TokenScope{"calendar:read",
               "subscribe to the calendar of your reservations",
               ScopeFor::kAllUsers, true},
    TokenScope{"images:read", "see the images that you may see"},
    TokenScope{"images:write", "change and share images, as your role allows"},
    TokenScope{"admin:read", "see the accounts, sessions and jobs of all users",
               ScopeFor::kSupport},
    TokenScope{"admin:write",
               "stop, hold, extend and read the log of jobs of all users, end "
               "their sessions",
               ScopeFor::kAdmins},
    TokenScope{"audit:read", "read the audit log", ScopeFor::kSupport},
};

// nullptr: unknown scope.
constexpr const TokenScope* FindScope(std::string_view word) {
  for (const TokenScope& scope : kTokenScopes) {
    if (scope.word == word) return &scope;
  }
  return nullptr;
}

// Whether users with this role may have tokens with this scope.
constexpr bool MayGive(Role role, const TokenScope& scope) {
  switch (scope.roles) {
    case ScopeFor::kAllUsers:
      return true;
    case ScopeFor::kSupport:
      return ReadsEverything(role);
    case ScopeFor::kAdmins:
      return role == Role::kAdmin;
  }
  return false;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_TOKEN_SCOPES_H_
