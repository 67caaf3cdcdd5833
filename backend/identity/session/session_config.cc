#include "backend/identity/session/session_config.h"

namespace carme::backend {
namespace {

constexpr int64_t kDay_s = 86400;

}  // namespace

void ReadSessionsConfig(ConfigTable table, SessionsConfig* sessions) {
  table.Read("idle_timeout_s", &sessions->idle_timeout,
             Range(300, 30 * kDay_s));
  table.Read("absolute_timeout_s", &sessions->absolute_timeout,
             Range(300, 90 * kDay_s));
  table.Read("failure_delay_ms", &sessions->failure_delay, Range(0, 5000));
  table.Read("reauthentication_lifetime_s",
             &sessions->reauthentication_lifetime, Range(60, 3600));
  table.Read("issuer", &sessions->issuer);
  if (sessions->issuer.empty()) table.Refuse("issuer", "must not be empty");
}

void ReadTokensConfig(ConfigTable table, TokensConfig* tokens) {
  table.Read("max_days", &tokens->max_days, Range(1, 3650));
  table.Read("max_per_user", &tokens->max_per_user, Range(0, 100));
}

}  // namespace carme::backend
