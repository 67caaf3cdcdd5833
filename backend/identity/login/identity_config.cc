#include "backend/identity/login/identity_config.h"

namespace carme::backend {
namespace {

constexpr int64_t kDay_s = 86400;

void ReadLoginThrottle(ConfigTable table, LoginThrottleConfig* throttle) {
  table.Read("unknown_address_attempts", &throttle->unknown_address_attempts,
             Range(2, 20));
  table.Read("known_address_attempts", &throttle->known_address_attempts,
             Range(1, 20));
  table.Read("window_s", &throttle->window, Range(600, 30 * kDay_s));
}

}  // namespace

void ReadIdentityConfig(ConfigTable root, IdentityConfig* config) {
  ReadLdapConfig(root.Table("ldap"), &config->ldap);
  ReadPasswordConfig(root.Table("password"), &config->password);
  ReadLoginThrottle(root.Table("login_throttle"), &config->login_throttle);
  ReadSessionsConfig(root.Table("sessions"), &config->sessions);
  ReadTokensConfig(root.Table("tokens"), &config->tokens);
  ReadFactorsConfig(root, &config->factors);
}

}  // namespace carme::backend
