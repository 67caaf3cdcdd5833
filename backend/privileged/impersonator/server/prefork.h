// The preforked process that waits for the next request and serves it.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_PREFORK_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_PREFORK_H_

#include <sys/types.h>

#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/impersonator/server/connection.h"
#include "backend/privileged/privsep/seccomp_filter.h"

namespace carme::impersonator {

struct PreforkOptions {
  const ImpersonatorConfig* config;
  const SeccompFilters* filters;
  ServingLimits limits;
  uid_t peer_uid;      // only this user's connections are served
  int socket;          // listening, non-blocking
  int accepted_pipe;   // the process writes its pid here when it has accepted
  pid_t parent;        // the process dies with it while it waits
  bool preload_slurm;  // let libslurm read its configuration in advance
  bool is_storage;     // `socket` is the storage socket
};

// Exit code: Slurm's files changed while the process waited.
inline constexpr int kSlurmFilesChanged = 3;

// Call in a fresh child whose SIGTERM is blocked; SIGTERM ends the process only
// while it waits.
//
// If no connection arrives at once, lets libslurm read its configuration, as
// root, and therefore only if root alone can write it. Otherwise the executor
// does, as the user. libslurm ends the process if slurm.conf is broken, and a
// timer ends it if NSS hangs.
[[noreturn]] void RunPreforked(const PreforkOptions& options);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_PREFORK_H_
