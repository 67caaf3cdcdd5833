// The tickets that the proxies have accepted: each works once, at one proxy.
//
// In memory: a ticket lives for seconds, and one that was issued before this
// process started is refused.
#ifndef CARME_BACKEND_JOBS_AGENTS_REDEEMED_TICKETS_H_
#define CARME_BACKEND_JOBS_AGENTS_REDEEMED_TICKETS_H_

#include <map>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/crypto/signature.h"

namespace carme::backend {

inline constexpr size_t kMaxRedeemedTickets = 100'000;

// Thread-safe.
class RedeemedTickets {
 public:
  // `public_key` is TicketSigner's. `clock` must outlive the object.
  RedeemedTickets(const std::string& public_key, const Clock* clock);

  // `signed_ticket` is a serialized Signed with a Ticket. UNAUTHENTICATED: not
  // signed with this key, or expired; FAILED_PRECONDITION: redeemed before, or
  // issued before this object was created; RESOURCE_EXHAUSTED: too many.
  absl::Status Redeem(const std::string& signed_ticket);

 private:
  void DeleteExpired(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const VerifyingKey key_;
  const Clock& clock_;
  const absl::Time since_;
  absl::Mutex mutex_;
  absl::flat_hash_set<std::string> ids_ ABSL_GUARDED_BY(mutex_);
  std::multimap<absl::Time, std::string> by_expiry_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_REDEEMED_TICKETS_H_
