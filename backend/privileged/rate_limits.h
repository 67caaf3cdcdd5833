// How often the backend may have something done: for a user, and in all, each
// kind of act by itself.
#ifndef CARME_BACKEND_PRIVILEGED_RATE_LIMITS_H_
#define CARME_BACKEND_PRIVILEGED_RATE_LIMITS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::impersonator {

struct RateLimitsConfig {
  int per_user = 120;  // submissions a minute of one user; 1 to 100,000
  int total = 1200;    // acts of a kind a minute of all; 1 to 100,000
  // Tasks of arrays a minute of one user; of all four times as many. 1 to
  // 1,000,000.
  int tasks_per_user = 4000;
};

// What has counters of its own, so that no flood of one keeps another away.
enum class ActKind {
  kSubmit,
  kCancel,
  kUpdate,
  kReadLog,
  kForesee,
  kReadStorage,
  kReserve,
  kExtend,
};
inline constexpr int kActKinds = 8;

// In memory that the root process shares with all of its children, so that a
// request's process counts where the next one looks. Without locks: whoever is
// killed while it counts leaves nothing behind. A limit of N lets N through at
// once, and N a minute in the long run. Forgotten at a restart.
//
// One user has at most a quarter of what all may have, so that a user in a loop
// leaves room for the others, and for what that user does otherwise.
class RateLimits {
 public:
  // To be made before the first fork. RESOURCE_EXHAUSTED: no memory.
  static absl::StatusOr<std::unique_ptr<RateLimits>> Create(
      const RateLimitsConfig& config);
  ~RateLimits();
  RateLimits(const RateLimits&) = delete;
  RateLimits& operator=(const RateLimits&) = delete;

  // Counts one, or refuses: RESOURCE_EXHAUSTED names the limit. What is refused
  // to a user takes nothing from the others. `now` is that of a clock that
  // never goes back, such as Uptime(). REQUIRES: the policy lets act as `uid`.
  absl::Status Admit(ActKind kind, uid_t uid, absl::Duration now);

  // The same for an array's tasks, beside the one submission that it is. None
  // are always let through.
  absl::Status AdmitTasks(uid_t uid, int64_t tasks, absl::Duration now);

  static absl::Duration Uptime();

 private:
  struct Shared;
  int MostOfUser(ActKind kind) const;
  RateLimits(const RateLimitsConfig& config, Shared* shared)
      : config_(config), shared_(shared) {}

  const RateLimitsConfig config_;
  Shared* const shared_;
};

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_RATE_LIMITS_H_
