// What an access token can be allowed. An rpc of the contract names the scope
// that it takes; start-up refuses a word that is not in this table.
#ifndef CARME_BACKEND_IDENTITY_TOKEN_SCOPES_H_
#define CARME_BACKEND_IDENTITY_TOKEN_SCOPES_H_

#include <array>
#include <string_view>

#include "backend/identity/role.h"

namespace carme {

struct TokenScope {
  std::string_view word;
  std::string_view text;          // for a person who makes a token
  bool reads_everything = false;  // support and administrators alone give it
};

inline constexpr std::array kTokenScopes = {
    TokenScope{"account:read",
               "see who you are, your sessions, tokens and factors"},
    TokenScope{
        "jobs:read",
        "see your jobs, environments, projects and storage, and what the "
        "cluster has"},
    TokenScope{"jobs:write",
               "submit and stop your jobs, write your environments"},
    TokenScope{"jobs:open", "open the apps in your jobs"},
    TokenScope{"admin:read", "see everybody's accounts, sessions and jobs",
               true},
    TokenScope{"audit:read", "read the audit log", true},
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
  return !scope.reads_everything || ReadsEverything(role);
}

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_TOKEN_SCOPES_H_
