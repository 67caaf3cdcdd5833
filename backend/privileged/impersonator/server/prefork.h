// The preforked process that waits for the next request and serves it.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_PREFORK_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_PREFORK_H_

#include <sys/types.h>

#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/impersonator/server/connection.h"
#include "backend/privileged/impersonator/server/seccomp_filters.h"
#include "backend/privileged/server/fork_server.h"

namespace carme::impersonator {

struct PreforkOptions {
  const ImpersonatorConfig* config;
  const ImpersonatorFilters* filters;
  ServingLimits limits;
  uid_t peer_uid;  // only this user's connections are served
};

// Call in a process that ForkServer has forked; SIGTERM ends the process only
// while it waits.
//
// If no connection arrives at once, lets libslurm read its configuration, as
// root, and therefore only if root alone can write it. Otherwise the executor
// does, as the user. libslurm ends the process if slurm.conf is broken, and a
// timer ends it if NSS hangs.
[[noreturn]] void RunPreforked(const ForkedProcess& process,
                               const PreforkOptions& options);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_PREFORK_H_
