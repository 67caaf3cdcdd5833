// Access tokens of scripts: named, scoped, expiring, revocable. Whether the
// owner is still allowed, and with which role, is checked in
// token_authenticator.h.
#ifndef CARME_BACKEND_IDENTITY_SESSION_ACCESS_TOKENS_H_
#define CARME_BACKEND_IDENTITY_SESSION_ACCESS_TOKENS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/identity/session.h"
#include "backend/identity/session/access_token_rules.h"
#include "backend/identity/session/access_token_table.h"
#include "backend/identity/session/session_config.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/net/networks.h"

namespace carme::backend {

struct NewAccessToken {
  AccessToken token;
  std::string secret;  // "carme_…"; known here only now
};

// Thread-safe.
//
// 1. The disk holds the SHA-256 of a secret, never the secret.
// 2. A token is on the disk before its secret is given out.
// 3. A revoked token stays revoked while this process lives, even if the disk
//    failed; Sweep writes the revocation later.
// 4. A suspended token is refused, and streams and apps opened with it end. It
//    may be reinstated. Suspensions survive a restart.
// 5. The disk's `used_at` is at most kUseWritten and a Sweep behind. No use
//    waits for the disk.
class AccessTokens {
 public:
  static constexpr absl::Duration kUseWritten = absl::Minutes(1);
  // Maximum lifetime of what is opened with a token (a stream, an app).
  // Revocations are kept for as long.
  static constexpr absl::Duration kLongestUse = absl::Hours(24);

  // Reads the live tokens. All three pointers must outlive the object.
  static absl::StatusOr<std::unique_ptr<AccessTokens>> Load(
      Database* database, const Clock* clock, const TokensConfig* config);

  // Creates a token of the session's user. INVALID_ARGUMENT: missing name or
  // scope, unknown scope, expiry in the past or too far away, invalid network;
  // PERMISSION_DENIED: a scope exceeds the role; RESOURCE_EXHAUSTED: too many
  // tokens; UNAVAILABLE: the disk failed. All messages are for the owner.
  absl::StatusOr<NewAccessToken> Create(
      const Session& owner, const std::string& name,
      const std::vector<std::string>& scopes, absl::Time expires_at,
      const std::vector<std::string>& addresses = {})
      ABSL_LOCKS_EXCLUDED(mutex_);

  // UNAUTHENTICATED: not found, revoked or expired. PERMISSION_DENIED: not
  // allowed from this address, with kRefusedOwnerPayload. Counts as use if OK.
  absl::StatusOr<AccessToken> Use(std::string_view secret,
                                  std::string_view client_address)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The live tokens of the owner, the newest first.
  std::vector<AccessToken> Of(Uid owner) ABSL_LOCKS_EXCLUDED(mutex_);
  // One token of every owner of live tokens.
  std::vector<AccessToken> Owners() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the token of this session is live and not suspended.
  bool IsLive(const SessionId& session) ABSL_LOCKS_EXCLUDED(mutex_);

  // Suspends the live tokens of the owner for which `refused` is true and
  // reinstates the others. Returns how many are newly suspended.
  int Suspend(Uid owner, const std::function<bool(const AccessToken&)>& refused)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // NOT_FOUND: the owner has no such token. Another error means that the
  // revocation is not yet on the disk; the token is revoked.
  absl::Status Revoke(Uid owner, const std::string& id)
      ABSL_LOCKS_EXCLUDED(mutex_);
  int RevokeAllOf(Uid owner) ABSL_LOCKS_EXCLUDED(mutex_);  // how many

  // Revoked and suspended tokens whose streams and apps may still be live.
  std::vector<EndedSession> Ended() ABSL_LOCKS_EXCLUDED(mutex_);
  // Called for each token that is revoked or suspended, from any thread. Set
  // before serving, as is the next one.
  void OnEnd(std::function<void(const EndedSession&)> listener);
  // Called for each reinstated token.
  void OnReinstated(std::function<void(const SessionId&)> listener);

  // Deletes expired tokens and writes changes to the disk. Call every few
  // seconds.
  void Sweep() ABSL_LOCKS_EXCLUDED(mutex_);

  const TokensConfig& config() const { return config_; }

 private:
  struct LiveToken {
    AccessToken token;
    std::string hash;
    absl::Time written_at = absl::InfinitePast();  // the `used_at` on the disk
    bool suspension_written = true;
    net::Networks networks = {};  // of token.addresses
  };
  struct RevokedToken {
    absl::Time revoked_at;
    bool written = false;
  };
  AccessTokens(Database* database, const Clock* clock,
               const TokensConfig* config);
  absl::Status Read();
  size_t CountOf(Uid owner) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  EndedSession MoveToRevoked(const std::string& id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DeleteExpired(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteRevocations() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteUses() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteSuspensions() ABSL_LOCKS_EXCLUDED(mutex_);

  AccessTokenTable table_;
  const Clock& clock_;
  const TokensConfig& config_;
  std::function<void(const EndedSession&)> on_end_;
  std::function<void(const SessionId&)> on_reinstated_;
  // Held while a token ends or is reinstated and listeners are called, so that
  // they are called in order.
  absl::Mutex listener_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, LiveToken> live_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::string> by_hash_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, RevokedToken> revoked_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_ACCESS_TOKENS_H_
