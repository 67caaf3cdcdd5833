// The root process itself: accepts, checks who is there, forks, reaps.
#ifndef CARME_BACKEND_PRIVILEGED_SERVER_H_
#define CARME_BACKEND_PRIVILEGED_SERVER_H_

#include <sys/types.h>

#include <set>

#include "absl/status/status.h"
#include "backend/privileged/config.h"
#include "backend/privileged/connection.h"
#include "common/unique_fd.h"

namespace carme {

// One thread, and it stays so: everything in here forks.
//   1. Reads not one byte from a connection: a child of its own does that.
//   2. Has at most `max_acts` children; further connections wait in the
//      socket's queue.
//   3. A connection whose peer is not `peer_uid` is refused unread.
class PrivilegedServer {
 public:
  PrivilegedServer(const ImpersonatorConfig& config, uid_t peer_uid,
                   UniqueFd socket);
  // Serves until SIGTERM or SIGINT, then waits for the acts that run.
  // REQUIRES: BlockStopSignals().
  absl::Status Run();

 private:
  void Accept();
  void Reap();
  void Drain();

  const ImpersonatorConfig& config_;
  const uid_t peer_uid_;
  UniqueFd socket_;
  UniqueFd signals_;
  std::set<pid_t> children_;
};

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_SERVER_H_
