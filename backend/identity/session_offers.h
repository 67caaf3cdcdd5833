// What sessions were offered and have not answered yet: secrets to confirm,
// challenges to sign. In memory only: a restart asks anew.
#ifndef CARME_BACKEND_IDENTITY_SESSION_OFFERS_H_
#define CARME_BACKEND_IDENTITY_SESSION_OFFERS_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

enum class OfferKind { kNewTotp, kNewPasskey, kFreshPasskey };

// Thread-safe. One offer of a kind a session: a newer one replaces it. Each
// dies after five minutes; when there are too many, the oldest makes room.
class SessionOffers {
 public:
  static constexpr absl::Duration kLifetime = absl::Minutes(5);
  static constexpr size_t kMost = 4096;

  explicit SessionOffers(const Clock* clock) : clock_(*clock) {}

  void Put(const SessionId& session, OfferKind kind, std::string value)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // It stays, for another try.
  std::optional<std::string> Find(const SessionId& session, OfferKind kind)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // It is gone: what is to be signed is signed once.
  std::optional<std::string> Take(const SessionId& session, OfferKind kind)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Key = std::pair<SessionId, OfferKind>;
  struct Offer {
    std::string value;
    absl::Time dies_at;
  };
  void MakeRoom(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  absl::Mutex mutex_;
  absl::flat_hash_map<Key, Offer> offers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_OFFERS_H_
