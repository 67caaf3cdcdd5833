// Unfinished ceremonies of sessions: TOTP secrets to confirm and passkey
// challenges to sign. In memory only: a restart discards them.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_PENDING_ENROLLMENTS_H_
#define CARME_BACKEND_IDENTITY_LOGIN_PENDING_ENROLLMENTS_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

enum class CeremonyKind { kNewTotp, kNewPasskey, kReauthenticationPasskey };

// Thread-safe. A session has at most one ceremony of each kind; a newer one
// replaces it. Each expires after kLifetime; the oldest is evicted beyond the
// maximum.
class PendingEnrollments {
 public:
  static constexpr absl::Duration kLifetime = absl::Minutes(5);
  static constexpr size_t kMaxEntries = 4096;

  explicit PendingEnrollments(const Clock* clock) : clock_(*clock) {}

  void Put(const SessionId& session, CeremonyKind kind, std::string value)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Keeps the ceremony for another attempt.
  std::optional<std::string> Find(const SessionId& session, CeremonyKind kind)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Removes the ceremony: a challenge is signed at most once.
  std::optional<std::string> Take(const SessionId& session, CeremonyKind kind)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Key = std::pair<SessionId, CeremonyKind>;
  struct Ceremony {
    std::string value;
    absl::Time expires_at;
  };
  void EvictOldest(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  absl::Mutex mutex_;
  absl::flat_hash_map<Key, Ceremony> ceremonies_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_PENDING_ENROLLMENTS_H_
