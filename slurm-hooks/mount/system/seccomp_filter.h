// What the process that reads a user's image may still ask of the kernel.
#ifndef CARME_SLURM_HOOKS_MOUNT_SYSTEM_SECCOMP_FILTER_H_
#define CARME_SLURM_HOOKS_MOUNT_SYSTEM_SECCOMP_FILTER_H_

#include "absl/status/status.h"

namespace carme::mount {

// For all threads of the process, for good: reading and writing descriptors it
// has, memory that is never code, waiting, ending. Files are not there;
// anything else ends the process. REQUIRES: no new privileges, for each thread.
absl::Status InstallReaderFilter();

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_SYSTEM_SECCOMP_FILTER_H_
