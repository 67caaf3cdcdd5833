// What passkeys are asked to sign by people who have shown nothing yet.
#ifndef CARME_BACKEND_IDENTITY_EARLY_CHALLENGES_H_
#define CARME_BACKEND_IDENTITY_EARLY_CHALLENGES_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe. Strangers ask for as many as they like, so nothing is kept of
// one that was given out:
//
// 1. It carries its time, and a hash with a key of this process; it dies after
//    five minutes, and with the process.
// 2. Of each account the time of the newest one that it has answered is kept
//    while such a one could live. Neither that nor an older one is answered
//    again: none is good twice.
class EarlyChallenges {
 public:
  static constexpr absl::Duration kLifetime = absl::Minutes(5);

  explicit EarlyChallenges(const Clock* clock);

  std::string Make() const;  // kPasskeyChallengeBytes
  // Whether it was made here, not too long ago.
  bool IsLive(std::string_view challenge) const;
  // After its answer was right. False: this or a newer one was answered.
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

#endif  // CARME_BACKEND_IDENTITY_EARLY_CHALLENGES_H_
