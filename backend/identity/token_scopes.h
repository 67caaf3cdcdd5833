// What an access token can be allowed. An rpc of the contract names the scope
// that it takes; start-up refuses a word that is not in this table.
#ifndef CARME_BACKEND_IDENTITY_TOKEN_SCOPES_H_
#define CARME_BACKEND_IDENTITY_TOKEN_SCOPES_H_

#include <array>
#include <string_view>

#include "backend/identity/role.h"

namespace carme::backend {

// The people who may create a token of a scope.
enum class ScopeFor {
  kEverybody,
  kSupport,  // and administrators
  kAdmins,
};

struct TokenScope {
  std::string_view word;
  std::string_view text;  // for a person who makes a token
  ScopeFor whom = ScopeFor::kEverybody;
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
    TokenScope{"reservations:write", "book and cancel reservations"},
    TokenScope{"images:read", "see the images that you may see"},
    TokenScope{"images:write",
               "change and share images, as your role allows"},
    TokenScope{"admin:read", "see everybody's accounts, sessions and jobs",
               ScopeFor::kSupport},
    TokenScope{"admin:write",
               "stop, hold, extend and read the log of everybody's jobs, end "
               "everybody's sessions",
               ScopeFor::kAdmins},
    TokenScope{"audit:read", "read the audit log", ScopeFor::kSupport},
};

// Null: there is no such scope.
constexpr const TokenScope* FindScope(std::string_view word) {
  for (const TokenScope& scope : kTokenScopes) {
    if (scope.word == word) return &scope;
  }
  return nullptr;
}

// Whether somebody of this role may have tokens of this scope.
constexpr bool MayGive(Role role, const TokenScope& scope) {
  switch (scope.whom) {
    case ScopeFor::kEverybody:
      return true;
    case ScopeFor::kSupport:
      return ReadsEverything(role);
    case ScopeFor::kAdmins:
      return role == Role::kAdmin;
  }
  return false;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_TOKEN_SCOPES_H_
