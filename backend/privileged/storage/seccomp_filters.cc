#include "backend/privileged/storage/seccomp_filters.h"

#include <sys/syscall.h>

#include <utility>

#include "common/status.h"

namespace carme::storage_reader {

absl::StatusOr<StorageReaderFilters> MakeStorageReaderFilters() {
  ASSIGN_OR_RETURN(SeccompFilter request, SeccompFilter::ForRequest());
  ASSIGN_OR_RETURN(SeccompFilter executor,
                   SeccompFilterBuilder()
                       .AllowNameService()
                       .Allow({SYS_pidfd_send_signal, SYS_wait4})
                       .Finish());
  ASSIGN_OR_RETURN(
      SeccompFilter area,
      SeccompFilterBuilder().Allow({SYS_openat, SYS_quotactl_fd}).Finish());
  return StorageReaderFilters{std::move(request), std::move(executor),
                              std::move(area)};
}

}  // namespace carme::storage_reader
