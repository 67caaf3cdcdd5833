#include "backend/identity/identity_config.h"

namespace carme::backend {
namespace {

constexpr int64_t kDay_s = 86400;

void ReadGuesses(ConfigTable table, GuessesConfig* guesses) {
  table.Read("from_strangers", &guesses->from_strangers, Range(2, 20));
  table.Read("from_known", &guesses->from_known, Range(1, 20));
  table.Read("window_s", &guesses->window, Range(600, 30 * kDay_s));
}

void ReadSessions(ConfigTable table, SessionsConfig* sessions) {
  table.Read("idle_timeout_s", &sessions->idle_timeout,
             Range(300, 30 * kDay_s));
  table.Read("absolute_timeout_s", &sessions->absolute_timeout,
             Range(300, 90 * kDay_s));
  table.Read("refusal_time_ms", &sessions->refusal_time, Range(0, 5000));
  table.Read("fresh_factor_s", &sessions->fresh_factor, Range(60, 3600));
  table.Read("issuer", &sessions->issuer);
  if (sessions->issuer.empty()) table.Refuse("issuer", "must not be empty");
}

void ReadTokens(ConfigTable table, TokensConfig* tokens) {
  table.Read("max_days", &tokens->max_days, Range(1, 3650));
  table.Read("most_per_user", &tokens->most_per_user, Range(0, 100));
}

}  // namespace

void ReadIdentityConfig(ConfigTable root, IdentityConfig* config) {
  ReadLdapConfig(root.Table("ldap"), &config->ldap);
  ReadPasswordConfig(root.Table("password"), &config->password);
  ReadGuesses(root.Table("guesses"), &config->guesses);
  ReadSessions(root.Table("sessions"), &config->sessions);
  ReadTokens(root.Table("tokens"), &config->tokens);
  ReadFactorsConfig(root, &config->factors);
}

}  // namespace carme::backend
