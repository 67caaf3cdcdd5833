// Turns the calling process's mount namespace into the environment.
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

// A mount namespace of this process alone, which sees the node's mounts come
// and go; nothing it mounts is seen on the node. With it one of System V IPC
// and message queues, with nothing in it.
absl::Status LeaveNode();

// Makes the plan's environment the root of this namespace; nothing of the node
// is left in it. `script`: a file of the node that is to be seen at its own
// path; empty: none. Returns what the image says. On an error the
// process must end. Root only; not in a threaded process. Blocks where the
// user's file systems do: in a child (child_work.h).
absl::StatusOr<ImageFacts> EnterNewRoot(const MountPlan& plan,
                                        const MountConfig& config,
                                        const User& user,
                                        const std::string& script,
                                        const Deadline& deadline);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_ENTER_NEW_ROOT_H_
