// The unprivileged part of creating an environment: reads the rendered EDF and
// opens all files that it names.
#ifndef CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_SENDER_H_
#define CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_SENDER_H_

#include <string>

#include "absl/status/status.h"
#include "slurm-hooks/mount/plan/mount_config.h"

namespace carme::mount {

// Runs in a process that has become the user permanently (user.h), in the mount
// namespace of the future environment, because descriptors must belong to it.
// Sends the packets of the plan to `socket`, or a refusal if the environment is
// impossible; returns errors of the socket only. Blocks as long as a file
// system of the user's choice does: the receiver has a deadline.
absl::Status SendPlan(const std::string& edf_text, const MountConfig& config,
                      int socket);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_SENDER_H_
