// The seccomp filter of the process that reads a user's image.
#ifndef CARME_SLURM_HOOKS_MOUNT_SYSTEM_SECCOMP_FILTER_H_
#define CARME_SLURM_HOOKS_MOUNT_SYSTEM_SECCOMP_FILTER_H_

#include "absl/status/status.h"

namespace carme::mount {

// Restricts all threads of the process permanently: they may read and write
// open descriptors, map memory that is never executable, wait and exit. Opening
// files fails; any other call kills the process. All threads must have
// no_new_privs.
absl::Status InstallReaderFilter();

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_SYSTEM_SECCOMP_FILTER_H_
