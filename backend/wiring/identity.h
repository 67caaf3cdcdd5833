// The component that authenticates users: log-in and second factors, sessions
// and access tokens; at the backend of a further cluster by assertions.
#ifndef CARME_BACKEND_WIRING_IDENTITY_H_
#define CARME_BACKEND_WIRING_IDENTITY_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/audit/audit_log.h"
#include "backend/clusters/assertion.h"
#include "backend/clusters/assertion_authenticator.h"
#include "backend/clusters/clusters_config.h"
#include "backend/identity/directory.h"
#include "backend/identity/factors/factor_store.h"
#include "backend/identity/factors/recovery_codes.h"
#include "backend/identity/factors/second_factor.h"
#include "backend/identity/login/identity_config.h"
#include "backend/identity/login/login_flow.h"
#include "backend/identity/login/login_throttle.h"
#include "backend/identity/login/pending_enrollments.h"
#include "backend/identity/login/reauthentication.h"
#include "backend/identity/session/access_tokens.h"
#include "backend/identity/session/directory_cache.h"
#include "backend/identity/session/session_store.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/identity/users/nss_account.h"
#include "backend/identity/users/user_store.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

struct Identity {
  // All must outlive the object.
  struct Parts {
    Database* database;
    const Clock* clock;
    AuditLog* audit;
    Directory* directory;
    const IdentityConfig* config;
    std::string portal_url;  // the passkeys are for its host
    // Both null: the portal has one cluster.
    const ClustersConfig* clusters = nullptr;
    const SigningKey* signing_key = nullptr;  // of assertions
  };
  // Loads sessions, tokens and recent failed log-ins from the database, and
  // checks the TLS files for the identity backend, if there is one. Saves
  // the failed log-ins every five seconds from then on.
  static absl::StatusOr<std::unique_ptr<Identity>> Open(const Parts& parts);
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;
  // Saves the failed log-ins that were counted since the last save.
  ~Identity();

  // Authenticates calls.
  Sessions* credentials();
  bool is_further() const { return assertions != nullptr; }

  const std::unique_ptr<SessionStore> sessions;
  const std::unique_ptr<AccessTokens> tokens;
  DirectoryCache directory_cache;
  TokenAuthenticator authenticator;  // of sessions and tokens
  UserStore users;
  NssHomeLookup homes;
  FactorStore factors;
  RecoveryCodes recovery_codes;
  SecondFactor second_factor;
  PendingEnrollments pending_enrollments;
  LoginThrottle login_throttle;
  LoginFlow login_flow;
  Reauthentication reauthentication;
  // Null without further clusters.
  const std::unique_ptr<AssertionSigner> assertion_signer;
  // Null unless this is the backend of a further cluster.
  const std::unique_ptr<AssertionAuthenticator> assertions;

 private:
  Identity(const Parts& parts, std::unique_ptr<SessionStore> session_store,
           std::unique_ptr<AccessTokens> access_tokens,
           std::optional<VerifyingKey> issuer_key);
  std::unique_ptr<AssertionAuthenticator> NewAssertionAuthenticator(
      const Parts& parts, std::optional<VerifyingKey> issuer_key);
  void SaveFailures();

  const Parts parts_;
  BackgroundThread saver_;  // last: uses the other members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_IDENTITY_H_
