// The process that authorizes and becomes a user and runs the operation.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_EXECUTOR_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_EXECUTOR_H_

#include "absl/status/statusor.h"
#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/impersonator/server/seccomp_filters.h"
#include "backend/privileged/privsep/child.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// Forks the executor before there is a request, so that no request waits for a
// fork. The executor is root, has only the socket to its parent and the log
// open, and waits for an ExecRequest. It ends when its parent is gone.
//
// It does not trust its parent, which has parsed untrusted bytes: it queries
// NSS, applies the policy, and parses the request only after it has become the
// user. It reports the permission first and the Response of the operation
// later. `slurm_is_ready`: InitSlurm was called in this process.
// RESOURCE_EXHAUSTED, UNAVAILABLE: no process was started.
absl::StatusOr<Child> StartExecutor(const ImpersonatorConfig& config,
                                    const ImpersonatorFilters& filters,
                                    bool slurm_is_ready);

// Sends the executor its ExecRequest. Nothing is changed before
// Child::Commit().
void SendExecRequest(const privileged::v1::Request& request, Child* executor);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_EXECUTOR_H_
