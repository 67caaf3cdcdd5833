// The part of making an environment that works with the user's rights: reads
// the rendered EDF and opens every file that it names.
#ifndef CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_SENDER_H_
#define CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_SENDER_H_

#include <string>

#include "absl/status/status.h"
#include "slurm-hooks/mount/plan/mount_config.h"

namespace carme::mount {

// Runs in a process that is the user's for good (user.h), in the mount
// namespace that is to become the environment: descriptors must be of it.
// Sends the plan's packets to `socket`, a refusal among them where the
// environment cannot be; an error is of the socket only. Blocks, for as long as
// a file system of the user's choice likes: its reader has a deadline.
absl::Status SendPlan(const std::string& edf_text, const MountConfig& config,
                      int socket);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_SENDER_H_
