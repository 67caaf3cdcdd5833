// The process that decides whose storage may be read, and has it read.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_EXECUTOR_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_EXECUTOR_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/storage/config.h"
#include "backend/privileged/storage/seccomp_filters.h"

namespace carme::storage_reader {

// Forks the executor, and the reader before it, so that no process is started
// after a request was read. The executor waits for a ClaimedUser, queries NSS,
// applies the policy and reports the permission; after Child::Commit() it sends
// the reader the user to become and forwards the reader's StorageResponse
// unparsed. It stays root under its filter and never reads the request. It ends
// when its parent is gone. RESOURCE_EXHAUSTED, UNAVAILABLE: no process was
// started.
absl::StatusOr<Child> StartStorageExecutor(const StorageReaderConfig& config,
                                           const StorageReaderFilters& filters);

// Time limit of a reading from its commit on.
absl::Duration ReadingTimeout(const StorageReaderConfig& config);

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_EXECUTOR_H_
