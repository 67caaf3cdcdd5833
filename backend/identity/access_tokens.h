// What scripts show instead of a session: named, scoped, expiring, revocable.
// This knows tokens; whether their owner is still welcome, and as what, is
// asked beside (credentials.h).
#ifndef CARME_BACKEND_IDENTITY_ACCESS_TOKENS_H_
#define CARME_BACKEND_IDENTITY_ACCESS_TOKENS_H_

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
#include "backend/identity/access_token_table.h"
#include "backend/identity/identity_config.h"
#include "backend/identity/session.h"
#include "backend/identity/token_form.h"
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
// 3. A revoked token stays revoked while this process lives, even when the
//    disk could not be told; Sweep tells it later.
// 4. A suspended token opens nothing, and what it has opened is over; its owner
//    may come back. A restart remembers it.
// 5. The disk's `used_at` is at most kUseWritten and a Sweep behind. No use
//    waits for the disk.
class AccessTokens {
 public:
  static constexpr absl::Duration kUseWritten = absl::Minutes(1);
  // What was opened with a token (a stream, an app) lasts no longer, so a
  // revocation need not be remembered for longer.
  static constexpr absl::Duration kLongestUse = absl::Hours(24);

  // Reads the tokens that live. All three pointers outlive the object.
  static absl::StatusOr<std::unique_ptr<AccessTokens>> Load(
      Database* database, const Clock* clock, const TokensConfig* config);

  // For the owner of this session. INVALID_ARGUMENT: no name, no scope, an
  // unknown one, an expiry in the past or too far away, an address that is not
  // a network; PERMISSION_DENIED: a
  // scope above the owner's role; RESOURCE_EXHAUSTED: too many tokens;
  // UNAVAILABLE: the disk does not take it. All in words for the owner.
  absl::StatusOr<NewAccessToken> Create(const Session& owner,
                                        const std::string& name,
                                        const std::vector<std::string>& scopes,
                                        absl::Time expires_at,
                                        const std::vector<std::string>&
                                            addresses = {})
      ABSL_LOCKS_EXCLUDED(mutex_);

  // UNAUTHENTICATED: no such token, revoked or expired. PERMISSION_DENIED: it
  // may not be used from this address, with kRefusedOwnerPayload. Counts as use
  // if OK.
  absl::StatusOr<AccessToken> Use(std::string_view secret,
                                  std::string_view client_address)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The owner's live ones, the newest first.
  std::vector<AccessToken> Of(Uid owner) ABSL_LOCKS_EXCLUDED(mutex_);
  // A token of every owner of live ones.
  std::vector<AccessToken> Owners() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the token of this session lives, and is not suspended.
  bool IsLive(const SessionId& session) ABSL_LOCKS_EXCLUDED(mutex_);

  // Suspends those of the owner's live ones that `refused` names, and lets the
  // others go on. How many are suspended now that were not.
  int Suspend(Uid owner, const std::function<bool(const AccessToken&)>& refused)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // NOT_FOUND: the owner has no such token. Another error means that the disk
  // does not know yet; the token is revoked.
  absl::Status Revoke(Uid owner, const std::string& id)
      ABSL_LOCKS_EXCLUDED(mutex_);
  int RevokeAllOf(Uid owner) ABSL_LOCKS_EXCLUDED(mutex_);  // how many

  // Every revoked or suspended one whose uses may still live.
  std::vector<EndedSession> Ended() ABSL_LOCKS_EXCLUDED(mutex_);
  // Called for each token that is revoked or suspended, from any thread. Set
  // before serving, as the next one.
  void OnEnd(std::function<void(const EndedSession&)> listener);
  // Called for each that was suspended and goes on.
  void OnReturn(std::function<void(const SessionId&)> listener);

  // Forgets what is past its expiry and tells the disk. Call every few seconds.
  void Sweep() ABSL_LOCKS_EXCLUDED(mutex_);

  const TokensConfig& config() const { return config_; }

 private:
  struct Live {
    AccessToken token;
    std::string hash;
    absl::Time written_at = absl::InfinitePast();  // the `used_at` on the disk
    bool suspension_written = true;
    net::Networks networks = {};  // of token.addresses
  };
  struct Dead {
    absl::Time revoked_at;
    bool written = false;
  };
  AccessTokens(Database* database, const Clock* clock,
               const TokensConfig* config);
  absl::Status Read();
  size_t CountOf(Uid owner) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  EndedSession Kill(const std::string& id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Forget(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteRevocations() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteUses() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteSuspensions() ABSL_LOCKS_EXCLUDED(mutex_);

  AccessTokenTable table_;
  const Clock& clock_;
  const TokensConfig& config_;
  std::function<void(const EndedSession&)> on_end_;
  std::function<void(const SessionId&)> on_return_;
  // Held while a token ends or comes back and that is told, so that the
  // listeners hear it in the order in which it happened.
  absl::Mutex telling_ ABSL_ACQUIRED_BEFORE(mutex_);
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Live> live_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::string> by_hash_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Dead> dead_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_ACCESS_TOKENS_H_
