// Makes the environment the root of the calling process's mount namespace.
#ifndef CARME_SLURM_HOOKS_MOUNT_ROOT_ENTER_NEW_ROOT_H_
#define CARME_SLURM_HOOKS_MOUNT_ROOT_ENTER_NEW_ROOT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slurm-hooks/mount/plan/mount_config.h"
#include "slurm-hooks/mount/plan/plan.h"
#include "slurm-hooks/mount/root/root_fs.h"
#include "slurm-hooks/mount/system/child_work.h"
#include "slurm-hooks/mount/system/user.h"

namespace carme::mount {

// Enters a new mount namespace that follows mounts of the node but shows none
// of its own there, and a new IPC namespace (System V IPC and message queues).
absl::Status LeaveNode();

// Makes the environment of the plan the root of this namespace; nothing of the
// node remains visible. `script`: a file of the node to show at its own path;
// may be empty. Returns facts about the image. After an error the process must
// exit. Requires root and no threads. Blocks for the user's file systems: run
// in a child (child_work.h).
absl::StatusOr<ImageFacts> EnterNewRoot(const MountPlan& plan,
                                        const MountConfig& config,
                                        const User& user,
                                        const std::string& script,
                                        const Deadline& deadline);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_ENTER_NEW_ROOT_H_
