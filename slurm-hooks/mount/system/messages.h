// Refusals of the mount helper's system calls.
#ifndef CARME_SLURM_HOOKS_MOUNT_SYSTEM_MESSAGES_H_
#define CARME_SLURM_HOOKS_MOUNT_SYSTEM_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::mount::mount_system_messages {

inline constexpr ErrorTemplate kNoPacket{absl::StatusCode::kDeadlineExceeded,
                                         "MOUNT_SYSTEM_NO_PACKET",
                                         "no packet in time"};

inline constexpr ErrorTemplate kNotForRoot{absl::StatusCode::kPermissionDenied,
                                           "MOUNT_SYSTEM_NOT_FOR_ROOT",
                                           "not for root"};

}  // namespace carme::mount::mount_system_messages

#endif  // CARME_SLURM_HOOKS_MOUNT_SYSTEM_MESSAGES_H_
