// Passkey challenges for unauthenticated clients.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_FACTOR_FIRST_CHALLENGES_H_
#define CARME_BACKEND_IDENTITY_LOGIN_FACTOR_FIRST_CHALLENGES_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe. Unauthenticated clients may request any number, so no state is
// kept for a challenge:
//
// 1. A challenge contains its time and a hash with a key of this process. It
//    expires after kLifetime and when the process ends.
// 2. For each account the time of the newest answered challenge is kept until
//    it expires. That challenge and older ones are rejected: no challenge can
//    be answered twice.
class FactorFirstChallenges {
 public:
  static constexpr absl::Duration kLifetime = absl::Minutes(5);

  explicit FactorFirstChallenges(const Clock* clock);

  std::string Make() const;  // kPasskeyChallengeBytes
  // Whether this process made it and it has not expired.
  bool IsLive(std::string_view challenge) const;
  // Marks it answered. False: this or a newer one was answered before.
  // REQUIRES: IsLive(challenge).
  bool Spend(Uid uid, std::string_view challenge) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  std::string HashOf(std::string_view content) const;

  const Clock& clock_;
  const std::string key_;
  absl::Mutex mutex_;
  absl::flat_hash_map<Uid, absl::Time> answered_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_FACTOR_FIRST_CHALLENGES_H_
