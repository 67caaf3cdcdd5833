// Authenticates calls by session tokens and access tokens. A session is a
// person at a browser; an access token acts for its owner as long as the
// directory allows the owner to log in.
#ifndef CARME_BACKEND_IDENTITY_SESSION_TOKEN_AUTHENTICATOR_H_
#define CARME_BACKEND_IDENTITY_SESSION_TOKEN_AUTHENTICATOR_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "backend/identity/session.h"
#include "backend/identity/session/access_tokens.h"
#include "backend/identity/session/directory_cache.h"
#include "backend/identity/session/session_store.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe. No call blocks on the directory or the disk: Recheck() queries
// the directory in the background for all owners of sessions and tokens.
class TokenAuthenticator : public Sessions {
 public:
  // Tokens are revoked once the directory has rejected their owner for this
  // long. Until then they are only suspended.
  static constexpr absl::Duration kRevokeAfter = absl::Hours(24);

  // The sessions and tokens that ended because the directory no longer allows
  // their owner to log in.
  struct Deprovisioned {
    Uid uid;
    std::string username;
    int sessions = 0;
    int tokens = 0;
    int suspended = 0;  // tokens
  };
  struct Parts {
    SessionStore* sessions;
    AccessTokens* tokens;
    DirectoryCache* directory_cache;
    const Clock* clock;
    std::function<void(const Deprovisioned&)> on_deprovisioned;  // any thread
  };
  // All parts must outlive the object.
  explicit TokenAuthenticator(Parts parts);

  // The session of an access token has an id "token-…", its scopes, its owner's
  // current role, and expires within kLongestUse. UNAUTHENTICATED;
  // PERMISSION_DENIED: a scope is above that role; UNAVAILABLE: the directory
  // has been unavailable for too long, or the owner was not looked up since the
  // start; the lookup follows within a second.
  absl::StatusOr<Session> Authenticate(
      std::string_view token, std::string_view client_address) override;
  absl::Status Refresh(const SessionId& id, absl::Time until) override;
  absl::Status End(const SessionId& id) override;
  bool IsLive(const SessionId& id) override;
  std::vector<EndedSession> Ended() override;
  void OnEnd(std::function<void(const EndedSession&)> listener) override;
  // Called when a suspended token is valid again because the directory allows
  // its owner to log in. Set before serving.
  void OnReinstated(std::function<void(const SessionId&)> listener);

  // Ends all sessions and revokes all tokens of the user.
  Deprovisioned EndAllOf(Uid person, const std::string& username);

  // Ends idle sessions and writes changes to the disk. Call every few seconds.
  void Sweep();
  // Looks up all owners of live sessions and tokens. Ends the sessions and
  // suspends the tokens of users who are no longer allowed, revokes the tokens
  // after kRevokeAfter, and applies new roles. Changes nothing while the
  // directory is unavailable. Blocks; call every minute.
  void Recheck();
  // Looks up the owners of tokens that were refused because no cached entry
  // existed. Blocks; call every second.
  void RecheckQueued() ABSL_LOCKS_EXCLUDED(mutex_);
  // Looks up one user. UNAUTHENTICATED: not allowed; UNAVAILABLE: the directory
  // does not respond. The message is for the user. Blocks.
  absl::Status Recheck(Uid uid, const std::string& username);

 private:
  absl::StatusOr<Session> AuthenticateScript(std::string_view secret,
                                             std::string_view client_address);
  // Schedules a lookup of the owner.
  void QueueRecheck(const AccessToken& token) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the sessions and suspends or revokes the tokens of the user.
  void Deprovision(Uid uid, const std::string& username);

  const Parts parts_;
  absl::Mutex mutex_;
  absl::flat_hash_map<uint32_t, std::string> recheck_queue_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_TOKEN_AUTHENTICATOR_H_
