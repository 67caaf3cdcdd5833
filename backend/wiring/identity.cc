#include "backend/wiring/identity.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/encoding.h"
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

std::unique_ptr<AssertionSigner> NewAssertionSigner(
    const Identity::Parts& parts) {
  if (parts.signing_key == nullptr) return nullptr;
  std::vector<std::string> names;
  if (parts.clusters != nullptr) {
    for (const FurtherCluster& cluster : parts.clusters->further) {
      names.push_back(cluster.name);
    }
  }
  // The configuration of the further backends needs it.
  if (!names.empty()) {
    LogInfo("authenticating users of further clusters",
            {{"clusters", absl::StrJoin(names, " ")},
             {"issuer_key", Base64UrlEncode(parts.signing_key->PublicKey())}});
  }
  names.emplace_back(kMetricsAudience);
  return std::make_unique<AssertionSigner>(*parts.signing_key, std::move(names),
                                           parts.clock);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Identity>> Identity::Open(const Parts& parts) {
  const IdentityConfig& config = *parts.config;
  ASSIGN_OR_RETURN(
      auto sessions,
      SessionStore::Load(parts.database, parts.clock, &config.sessions));
  ASSIGN_OR_RETURN(auto tokens, AccessTokens::Load(parts.database, parts.clock,
                                                   &config.tokens));
  std::optional<VerifyingKey> issuer_key;
  if (parts.clusters != nullptr && parts.clusters->identity_backend) {
    // Errors now are clearer than a connection that fails.
    RETURN_IF_ERROR(
        ReadTlsFiles(parts.clusters->identity_backend->tls).status());
    ASSIGN_OR_RETURN(
        issuer_key,
        VerifyingKey::FromRaw(parts.clusters->identity_backend->issuer_key));
  }
  std::unique_ptr<Identity> identity(new Identity(
      parts, std::move(sessions), std::move(tokens), std::move(issuer_key)));
  RETURN_IF_ERROR(identity->login_throttle.Load(parts.database));
  identity->saver_.Start("identity-saver", absl::Seconds(5),
                         [self = identity.get()] { self->SaveFailures(); });
  return identity;
}

Identity::Identity(const Parts& parts,
                   std::unique_ptr<SessionStore> session_store,
                   std::unique_ptr<AccessTokens> access_tokens,
                   std::optional<VerifyingKey> issuer_key)
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
      assertion_signer(NewAssertionSigner(parts)),
      assertions(NewAssertionAuthenticator(parts, std::move(issuer_key))),
      parts_(parts) {}

std::unique_ptr<AssertionAuthenticator> Identity::NewAssertionAuthenticator(
    const Parts& parts, std::optional<VerifyingKey> issuer_key) {
  if (!issuer_key) return nullptr;
  return std::make_unique<AssertionAuthenticator>(AssertionAuthenticator::Parts{
      .verifier =
          AssertionVerifier(*std::move(issuer_key), parts.clusters->name),
      .directory_cache = &directory_cache,
      .clock = parts.clock,
      .on_first_use = [this](const Person& person) {
        return users.RecordLogin(person).status();
      }});
}

Sessions* Identity::credentials() {
  if (assertions != nullptr) return assertions.get();
  return &authenticator;
}

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
