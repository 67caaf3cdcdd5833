// The sections of backend.toml about identity.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_IDENTITY_CONFIG_H_
#define CARME_BACKEND_IDENTITY_LOGIN_IDENTITY_CONFIG_H_

#include "backend/identity/factors/factor_policy.h"
#include "backend/identity/ldap/ldap_config.h"
#include "backend/identity/ldap/password_rules.h"
#include "backend/identity/login/login_throttle.h"
#include "backend/identity/session/session_config.h"
#include "common/config/config.h"

namespace carme::backend {

struct IdentityConfig {
  LdapConfig ldap;
  PasswordConfig password;
  LoginThrottleConfig login_throttle;
  SessionsConfig sessions;
  TokensConfig tokens;
  FactorsConfig factors;
};

// Finish() reports invalid values.
void ReadIdentityConfig(ConfigTable root, IdentityConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_IDENTITY_CONFIG_H_
