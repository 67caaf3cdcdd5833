// One request of one connection, from its bytes to the audit line. Runs in a
// process of its own, so that nothing here can block or harm another request.
#ifndef CARME_BACKEND_PRIVILEGED_CONNECTION_H_
#define CARME_BACKEND_PRIVILEGED_CONNECTION_H_

#include <sys/types.h>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/child.h"
#include "backend/privileged/rate_limits.h"
#include "backend/privileged/turns.h"

namespace carme::impersonator {

// What all processes that serve share; both outlive them.
struct ServingLimits {
  RateLimits* rates = nullptr;
  const Turns* turns = nullptr;
  int acts_per_user = 1;  // at once, but for storage; Turns::TakePlace
};

// Who sent the request: SO_PEERCRED, unix(7).
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
};

// Reads the request, checks it, orders the actor, which decides and becomes the
// user, lets it act once the backend says go, answers, and leaves one audit
// line. Blocks for at most twice the act's time-out and a few seconds. The
// caller closes `fd`. `actor`: of StartActor(), or of StartStorageActor() on
// the socket for storage, on which nothing else is served.
void ServeConnection(int fd, const Peer& peer, bool of_storage,
                     absl::Duration act_timeout, absl::StatusOr<Child> actor,
                     const ServingLimits& limits);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_CONNECTION_H_
