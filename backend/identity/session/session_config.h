// Sections [sessions] and [tokens] of backend.toml.
#ifndef CARME_BACKEND_IDENTITY_SESSION_SESSION_CONFIG_H_
#define CARME_BACKEND_IDENTITY_SESSION_SESSION_CONFIG_H_

#include <string>

#include "absl/time/time.h"
#include "common/config/config.h"

namespace carme::backend {

// deploy/config/backend.toml explains each key.
struct SessionsConfig {
  absl::Duration idle_timeout = absl::Hours(8);       // 5 min to 30 days
  absl::Duration absolute_timeout = absl::Hours(24);  // 5 min to 90 days
  // A refused login is answered after a multiple of this. 0 to 5 s.
  absl::Duration failure_delay = absl::Milliseconds(400);
  // For so long after a second factor what is dangerous may be done. 1 min to
  // an hour.
  absl::Duration reauthentication_lifetime = absl::Minutes(10);
  std::string issuer = "Carme";  // how authenticator apps label the account
};

struct TokensConfig {
  int max_days = 365;     // the longest life of an access token; 1 to 3650
  int max_per_user = 20;  // valid tokens; 0 (tokens disabled) to 100
};

// Finish() reports invalid values.
void ReadSessionsConfig(ConfigTable table, SessionsConfig* sessions);
void ReadTokensConfig(ConfigTable table, TokensConfig* tokens);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_SESSION_CONFIG_H_
