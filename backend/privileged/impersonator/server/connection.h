// One request of one connection, from its bytes to the audit line. Runs in its
// own process, so that it cannot block or harm other requests.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_CONNECTION_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_CONNECTION_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/impersonator/authz/rate_limits.h"
#include "backend/privileged/impersonator/authz/user_lock.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/server/request_process.h"

namespace carme::impersonator {

// Shared by all request processes; both pointers outlive them.
struct ServingLimits {
  RateLimits* rates = nullptr;
  const UserLock* user_lock = nullptr;
  // Concurrent operations of one user: UserLock::AcquireSlot.
  int operations_per_user = 1;
};

// Reads and checks the request, sends it to the executor, which authorizes and
// becomes the user, lets the executor act once the backend commits, responds,
// and leaves one audit line. Blocks for at most twice the operation time-out
// and a few seconds. The caller closes `fd`. `executor` comes from
// StartExecutor().
void ServeConnection(int fd, const Peer& peer, absl::Duration operation_timeout,
                     absl::StatusOr<Child> executor,
                     const ServingLimits& limits);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_CONNECTION_H_
