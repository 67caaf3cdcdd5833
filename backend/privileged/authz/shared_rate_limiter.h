// A rate limit for each user and for all users together, whose counters all
// processes of a root program share.
#ifndef CARME_BACKEND_PRIVILEGED_AUTHZ_SHARED_RATE_LIMITER_H_
#define CARME_BACKEND_PRIVILEGED_AUTHZ_SHARED_RATE_LIMITER_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

// Token buckets in memory that the root process shares with its children.
// Lock-free: a process that is killed while it counts leaves nothing locked. A
// limit of N admits N at once and N a minute in the long run. Counters start at
// zero after a restart.
class SharedRateLimiter {
 public:
  enum class Result { kAdmitted, kUserLimit, kTotalLimit };

  // Both limits are numbers a minute, at least 1. Call before the first fork.
  // RESOURCE_EXHAUSTED: no memory.
  static absl::StatusOr<std::unique_ptr<SharedRateLimiter>> Create(int per_user,
                                                                   int total);
  ~SharedRateLimiter();
  SharedRateLimiter(const SharedRateLimiter&) = delete;
  SharedRateLimiter& operator=(const SharedRateLimiter&) = delete;

  // Counts `number` events of a user, or, unless the result is kAdmitted, none
  // in total. `now` is the time of a monotonic clock, such as Uptime().
  // REQUIRES: the policy allows `uid`.
  Result Admit(uid_t uid, int64_t number, absl::Duration now);

  int per_user() const { return per_user_; }
  int total() const { return total_; }

  static absl::Duration Uptime();

 private:
  struct Counters;
  SharedRateLimiter(int per_user, int total, Counters* counters)
      : per_user_(per_user), total_(total), counters_(counters) {}

  const int per_user_;
  const int total_;
  Counters* const counters_;
};

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_AUTHZ_SHARED_RATE_LIMITER_H_
