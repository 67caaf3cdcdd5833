// The process that becomes the user and reads all storage areas.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_READER_PROCESS_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_READER_PROCESS_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/storage/config.h"
#include "backend/privileged/storage/seccomp_filters.h"

namespace carme::storage_reader {

// Forks the reader. It is root until it receives a StorageUser from the
// executor that forked it, and reads nothing else: no request, nothing from
// NSS. It becomes that user and reads each area in a process of its own, so
// that one that hangs does not affect the others. Processes that query the
// kernel run under a filter; those that run a program of the site do not,
// because the program would inherit the filter.
//
// Responds within the configured time-out and two seconds. It dies with its
// parent, and the processes it has started die with it.
// RESOURCE_EXHAUSTED, UNAVAILABLE: no process was started.
absl::StatusOr<Child> StartStorageReader(const StorageConfig& config,
                                         const StorageReaderFilters& filters);

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_READER_PROCESS_H_
