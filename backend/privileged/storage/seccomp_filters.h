// Which system calls the storage reader's processes may make once they read
// untrusted bytes.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_SECCOMP_FILTERS_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_SECCOMP_FILTERS_H_

#include "absl/status/statusor.h"
#include "backend/privileged/privsep/seccomp_filter.h"

namespace carme::storage_reader {

struct StorageReaderFilters {
  SeccompFilter request;  // SeccompFilter::ForRequest()
  // For the executor, which stays root and queries NSS: it may also wait for
  // and kill the reader that it has forked before. It cannot change its user
  // id.
  SeccompFilter executor;
  // For a process that reads one area as the user, from the kernel: it may look
  // at files. No sockets, processes or programs.
  SeccompFilter area;
};
// Call it at start: it takes longer than a reading.
absl::StatusOr<StorageReaderFilters> MakeStorageReaderFilters();

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_SECCOMP_FILTERS_H_
