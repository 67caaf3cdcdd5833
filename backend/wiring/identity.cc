#include "backend/wiring/identity.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

AuditEvent DeprovisionEvent(const TokenAuthenticator::Deprovisioned& user) {
  return {.act = "departure",
          .actor = "carme-backend",
          .subject = user.username,
          .decision = AuditDecision::kAllow,
          .result = absl::StrCat(
              "the directory no longer allows the user: ", user.sessions,
              " sessions ended, ", user.tokens, " tokens revoked, ",
              user.suspended, " tokens suspended")};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Identity>> Identity::Open(const Parts& parts) {
  const IdentityConfig& config = *parts.config;
  ASSIGN_OR_RETURN(
      auto sessions,
      SessionStore::Load(parts.database, parts.clock, &config.sessions));
  ASSIGN_OR_RETURN(auto tokens, AccessTokens::Load(parts.database, parts.clock,
                                                   &config.tokens));
  std::unique_ptr<Identity> identity(
      new Identity(parts, std::move(sessions), std::move(tokens)));
  RETURN_IF_ERROR(identity->login_throttle.Load(parts.database));
  identity->saver_.Start("identity-saver", absl::Seconds(5),
                         [self = identity.get()] { self->SaveFailures(); });
  return identity;
}

Identity::Identity(const Parts& parts,
                   std::unique_ptr<SessionStore> session_store,
                   std::unique_ptr<AccessTokens> access_tokens)
    : sessions(std::move(session_store)),
      tokens(std::move(access_tokens)),
      directory_cache(parts.directory, parts.clock),
      authenticator({.sessions = sessions.get(),
                     .tokens = tokens.get(),
                     .directory_cache = &directory_cache,
                     .clock = parts.clock,
                     .on_deprovisioned =
                         [audit = parts.audit](
                             const TokenAuthenticator::Deprovisioned& user) {
                           audit->Record(DeprovisionEvent(user));
                         }}),
      users(parts.database, parts.clock),
      factors(parts.database, parts.clock),
      recovery_codes(parts.database, parts.clock),
      second_factor(
          &factors, &recovery_codes,
          PasskeySiteOf(parts.portal_url, parts.config->sessions.issuer)),
      pending_enrollments(parts.clock),
      login_throttle(parts.clock, parts.config->login_throttle),
      login_flow({.directory = parts.directory,
                  .factor = &second_factor,
                  .policy = &parts.config->factors,
                  .users = &users,
                  .sessions = sessions.get(),
                  .throttle = &login_throttle,
                  .clock = parts.clock,
                  .issuer = parts.config->sessions.issuer}),
      reauthentication(
          {.factor = &second_factor,
           .sessions = &authenticator,
           .offers = &pending_enrollments,
           .throttle = &login_throttle,
           .clock = parts.clock,
           .lifetime = parts.config->sessions.reauthentication_lifetime}),
      parts_(parts) {}

Identity::~Identity() {
  saver_.Stop();
  SaveFailures();
}

void Identity::SaveFailures() {
  const absl::Status saved = login_throttle.Save(parts_.database);
  if (saved.ok()) return;
  LogWarning("saving the failed log-ins failed", {{"error", saved.ToString()}});
}

}  // namespace carme::backend
