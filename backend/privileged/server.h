// The root process itself: keeps one process waiting for the next request, and
// reaps those that have served.
#ifndef CARME_BACKEND_PRIVILEGED_SERVER_H_
#define CARME_BACKEND_PRIVILEGED_SERVER_H_

#include <sys/types.h>

#include <set>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/privileged/config.h"
#include "backend/privileged/rate_limits.h"
#include "backend/privileged/system_call_filter.h"
#include "common/unique_fd.h"

namespace carme {

// One thread, and it stays so: everything in here forks.
//   1. Accepts nothing and reads no byte that comes from outside.
//   2. Has at most `max_acts` children; further connections wait in the
//      socket's queue.
class PrivilegedServer {
 public:
  // All but the socket must outlive the server.
  struct Parts {
    const ImpersonatorConfig* config;
    const SystemCallFilters* filters;
    RateLimits* limits;
    uid_t peer_uid;  // whose processes are served, no others
  };
  PrivilegedServer(const Parts& parts, UniqueFd socket);
  // Serves until SIGTERM or SIGINT, then waits for the acts that run.
  // REQUIRES: BlockStopSignals().
  absl::Status Run();

 private:
  absl::Status Open();
  void KeepOneWaiting();
  bool MayFork() const;
  // Until there is something to do.
  void Sleep() const;
  void Reap();
  void Drain();

  const Parts parts_;
  UniqueFd socket_;
  UniqueFd signals_;
  UniqueFd taken_read_, taken_write_;  // a pipe: see WaitingParts::taken
  std::set<pid_t> children_;
  pid_t waiting_ = -1;  // one of children_
  // False after one died while it waited: the next one serves in any case, if
  // only to say that libslurm does not work.
  bool prepare_ = true;
  absl::Time not_before_ = absl::InfinitePast();  // no fork, after a failure
  // No fork, unless somebody is kept waiting: it would take the time of the
  // request that has just begun.
  absl::Time courtesy_until_ = absl::InfinitePast();
};

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_SERVER_H_
