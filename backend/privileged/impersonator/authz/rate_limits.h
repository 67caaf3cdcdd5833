// Rate limits of the backend's requests: for each user and in total, separately
// for each kind of operation.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_RATE_LIMITS_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_RATE_LIMITS_H_

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/authz/shared_rate_limiter.h"

namespace carme::impersonator {

struct RateLimitsConfig {
  int per_user = 120;  // submissions a minute of one user; 1 to 100,000
  int total = 1200;  // operations of a kind a minute of all users; 1 to 100,000
  // Array tasks a minute of one user; four times as many of all users. 1 to
  // 1,000,000.
  int tasks_per_user = 4000;
};

// Each kind has its own counters, so that a flood of one kind does not block
// the others.
enum class OperationKind {
  kSubmit,
  kCancel,
  kUpdate,
  kReadLog,
  kEstimateStart,
  kReserve,
  kExtend,
  kSetNodeState,
};
inline constexpr int kOperationKinds = 8;

// All request processes use the same counters. A limit of N admits N at once
// and N a minute in the long run. Counters start at zero after a restart.
//
// One user gets at most a quarter of the total, so that a user in a loop leaves
// room for other users and for other kinds of operations.
class RateLimits {
 public:
  // Call before the first fork. RESOURCE_EXHAUSTED: no memory.
  static absl::StatusOr<std::unique_ptr<RateLimits>> Create(
      const RateLimitsConfig& config);

  // Counts one operation. RESOURCE_EXHAUSTED names the limit that is exceeded;
  // a refused operation is not counted. `now` is the time of a monotonic clock,
  // such as SharedRateLimiter::Uptime(). REQUIRES: the policy allows `uid`.
  absl::Status Admit(OperationKind kind, uid_t uid, absl::Duration now);

  // The same for the tasks of an array, in addition to its submission. 0 tasks
  // are always admitted.
  absl::Status AdmitTasks(uid_t uid, int64_t tasks, absl::Duration now);

 private:
  explicit RateLimits(const RateLimitsConfig& config) : config_(config) {}

  const RateLimitsConfig config_;
  std::array<std::unique_ptr<SharedRateLimiter>, kOperationKinds> kinds_;
  std::unique_ptr<SharedRateLimiter> tasks_;
};

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_RATE_LIMITS_H_
