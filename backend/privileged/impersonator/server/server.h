// The root process: keeps one process waiting for the next request, and reaps
// those that have served.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_SERVER_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_SERVER_H_

#include <sys/types.h>

#include <set>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/impersonator/server/connection.h"
#include "backend/privileged/privsep/seccomp_filter.h"
#include "common/unique_fd.h"

namespace carme::impersonator {

// Does once what every request process would otherwise repeat after its fork:
// loads the NSS modules, silences protobuf's log and builds protobuf's
// descriptors. Results are ignored. Blocks as long as NSS blocks; connections
// wait in the socket's queue.
void WarmUp(const ImpersonatorConfig& config);

// Must stay single-threaded, because it forks.
//   1. Accepts no connection and reads no byte from outside.
//   2. Has at most `max_operations` children; more connections wait in the
//      socket's queue.
//   3. Has at most four other children, forked when storage is requested, so
//      that a file system that does not respond takes no slot of an operation.
class PrivilegedServer {
 public:
  // All pointers must outlive the server.
  struct Parts {
    const ImpersonatorConfig* config;
    const SeccompFilters* filters;
    ServingLimits limits;
    uid_t peer_uid;  // only processes of this user are served
  };
  // `storage`: the socket on which storage is requested.
  PrivilegedServer(const Parts& parts, UniqueFd socket, UniqueFd storage);
  // Serves until SIGTERM or SIGINT, then waits for running operations.
  // REQUIRES: BlockStopSignals().
  absl::Status Run();

 private:
  absl::Status Open();
  void EnsurePreforked();
  void ServeStorage();
  // The child serves on `socket`; -1: the fork failed.
  pid_t Fork(int socket, bool is_storage);
  bool MayFork() const;
  bool MayForkForStorage() const;
  // Blocks until there is something to do.
  void Sleep() const;
  void Reap();
  void Drain();

  const Parts parts_;
  UniqueFd socket_;
  UniqueFd signals_;
  // The pipe of PreforkOptions::accepted_pipe.
  UniqueFd accepted_read_, accepted_write_;
  std::set<pid_t> children_;
  pid_t preforked_ = -1;  // one of children_
  UniqueFd storage_socket_;
  std::set<pid_t> storage_children_;
  pid_t storage_preforked_ = -1;  // one of them that has no connection yet
  // False after a waiting process died: the next one serves without preloading,
  // so that clients get a response if libslurm does not work.
  bool preload_slurm_ = true;
  absl::Time next_fork_at_ = absl::InfinitePast();  // after a failure
  // Until then nothing is forked unless a connection waits: a fork would take
  // time from the request that has just begun.
  absl::Time fork_backoff_until_ = absl::InfinitePast();
};

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_SERVER_H_
