// The process that decides whose storage may be read, and has it read.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_STORAGE_EXECUTOR_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_STORAGE_EXECUTOR_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/privsep/seccomp_filter.h"

namespace carme::impersonator {

// As StartExecutor(), for the storage socket. It reads the user of its
// ExecRequest, but not the request in it; asks NSS; applies the policy; and
// sends the reader the user to become. It stays root under its filter, starts
// no process after its request, and forwards the reader's response unparsed.
absl::StatusOr<Child> StartStorageExecutor(const ImpersonatorConfig& config,
                                           const SeccompFilters& filters);

// Time limit of a reading from its commit on.
absl::Duration StorageTimeout(const ImpersonatorConfig& config);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_STORAGE_EXECUTOR_H_
