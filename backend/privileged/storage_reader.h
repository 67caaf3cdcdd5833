// The process that becomes the user and reads all areas of storage.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_READER_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_READER_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/child.h"
#include "backend/privileged/storage_config.h"
#include "backend/privileged/system_call_filter.h"

namespace carme::impersonator {

// Forks it. It is root until its order comes, a StorageUser of the actor that
// forked it, and reads nothing else: no request, nothing of NSS. It becomes
// that user, and reads each area in a process of its own, so that one that
// hangs takes no other with it. Those that ask the kernel are under a filter;
// those that run a program of the site's cannot be, as a filter would stay with
// it.
//
// Answers with a Response within `timeout` and two seconds of its order. It
// dies with its parent, and what it has started dies with it.
// RESOURCE_EXHAUSTED, UNAVAILABLE: there is none.
absl::StatusOr<Child> StartStorageReader(const StorageConfig& config,
                                         const SystemCallFilters& filters);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_READER_H_
