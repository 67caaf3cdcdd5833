// The process that waits for the next request, is ready for it, and serves it.
#ifndef CARME_BACKEND_PRIVILEGED_WAITING_PROCESS_H_
#define CARME_BACKEND_PRIVILEGED_WAITING_PROCESS_H_

#include <sys/types.h>

#include "backend/privileged/config.h"
#include "backend/privileged/connection.h"
#include "backend/privileged/system_call_filter.h"

namespace carme::impersonator {

struct WaitingParts {
  const ImpersonatorConfig* config;
  const SystemCallFilters* filters;
  ServingLimits limits;
  uid_t peer_uid;   // whose connections are served
  int socket;       // listening, non-blocking
  int taken;        // its own pid is written here when it has a connection
  pid_t parent;     // dies with it, for as long as it waits
  bool prepare;     // let libslurm read its configuration beforehand
  bool of_storage;  // the socket is the one for storage
};

// How it ends without having served.
inline constexpr int kSlurmFilesChanged = 3;

// To be called in a fresh child whose SIGTERM is blocked; while it waits, and
// only then, SIGTERM ends it.
//
// While nobody comes, it lets libslurm read its configuration: as root, and
// therefore only when root alone can write it. Otherwise the act's child does,
// as the user. README.md says why, and what it saves. With a slurm.conf that is
// broken libslurm ends the process, and where NSS hangs a timer does.
[[noreturn]] void WaitAndServe(const WaitingParts& parts);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_WAITING_PROCESS_H_
