// The root process itself: keeps one process waiting for the next request, and
// reaps those that have served.
#ifndef CARME_BACKEND_PRIVILEGED_SERVER_H_
#define CARME_BACKEND_PRIVILEGED_SERVER_H_

#include <sys/types.h>

#include <set>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/privileged/config.h"
#include "backend/privileged/connection.h"
#include "backend/privileged/system_call_filter.h"
#include "common/unique_fd.h"

namespace carme::impersonator {

// One thread, and it stays so: everything in here forks.
//   1. Accepts nothing and reads no byte that comes from outside.
//   2. Has at most `max_acts` children; further connections wait in the
//      socket's queue.
//   3. Has at most four others, forked when storage is asked for: a file system
//      that does not answer takes no place of an act.
class PrivilegedServer {
 public:
  // All but the socket must outlive the server.
  struct Parts {
    const ImpersonatorConfig* config;
    const SystemCallFilters* filters;
    ServingLimits limits;
    uid_t peer_uid;  // whose processes are served, no others
  };
  // `storage`: the socket on which storage is asked for.
  PrivilegedServer(const Parts& parts, UniqueFd socket, UniqueFd storage);
  // Serves until SIGTERM or SIGINT, then waits for the acts that run.
  // REQUIRES: BlockStopSignals().
  absl::Status Run();

 private:
  absl::Status Open();
  void KeepOneWaiting();
  void ServeStorage();
  // What is forked serves on `socket`; -1: it cannot be forked.
  pid_t Fork(int socket, bool of_storage);
  bool MayFork() const;
  bool MayForkForStorage() const;
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
  UniqueFd storage_socket_;
  std::set<pid_t> storage_children_;
  pid_t storage_waiting_ = -1;  // one of them that has no connection yet
  // False after one died while it waited: the next one serves in any case, if
  // only to say that libslurm does not work.
  bool prepare_ = true;
  absl::Time not_before_ = absl::InfinitePast();  // no fork, after a failure
  // No fork, unless somebody is kept waiting: it would take the time of the
  // request that has just begun.
  absl::Time courtesy_until_ = absl::InfinitePast();
};

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_SERVER_H_
