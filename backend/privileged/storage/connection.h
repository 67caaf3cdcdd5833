// One request of one connection, from its bytes to the audit line. Runs in its
// own process, so that it cannot block or harm other requests.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_CONNECTION_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_CONNECTION_H_

#include <sys/types.h>

#include "absl/status/statusor.h"
#include "backend/privileged/authz/shared_rate_limiter.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/server/fork_server.h"
#include "backend/privileged/server/request_process.h"
#include "backend/privileged/storage/config.h"
#include "backend/privileged/storage/seccomp_filters.h"

namespace carme::storage_reader {

// All pointers outlive the processes.
struct RequestOptions {
  const StorageReaderConfig* config;
  const StorageReaderFilters* filters;
  SharedRateLimiter* limiter;
  uid_t peer_uid;  // only this user's connections are served
};

// Call in a process that ForkServer has forked: starts the executor, drops what
// a request does not need, accepts one connection and serves it. SIGTERM ends
// the process only while it waits.
[[noreturn]] void RunRequestProcess(const ForkedProcess& process,
                                    const RequestOptions& options);

// Reads and checks the request, sends its user to the executor, which
// authorizes, has the storage read once the limits have admitted the request,
// responds, and leaves one audit line. Blocks for at most the time-out of NSS
// and ReadingTimeout(). `executor` comes from StartStorageExecutor().
void ServeStorageRequest(const AcceptedConnection& connection,
                         const RequestOptions& options,
                         absl::StatusOr<Child> executor);

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_CONNECTION_H_
