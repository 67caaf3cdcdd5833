// Why an environment's root file system cannot be built.
#ifndef CARME_SLURM_HOOKS_MOUNT_ROOT_MESSAGES_H_
#define CARME_SLURM_HOOKS_MOUNT_ROOT_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::mount::mount_root_messages {

inline constexpr ErrorTemplate kMountsInside{
    absl::StatusCode::kFailedPrecondition, "MOUNT_ROOT_MOUNTS_INSIDE",
    "other file systems are mounted in it: expected a directory without"};

inline constexpr ErrorTemplate kNoLoopDevice{
    absl::StatusCode::kUnavailable, "MOUNT_ROOT_NO_LOOP_DEVICE",
    "each free loop device was taken by others"};

inline constexpr ErrorTemplate kOwnOfEnvironment{
    absl::StatusCode::kPermissionDenied, "MOUNT_ROOT_OWN_OF_ENVIRONMENT",
    "\"{path}\" lies in what is the environment's own"};

inline constexpr ErrorTemplate kDeviceWithoutName{
    absl::StatusCode::kInvalidArgument, "MOUNT_ROOT_DEVICE_WITHOUT_NAME",
    "a device has no name"};

inline constexpr ErrorTemplate kNotADevice{absl::StatusCode::kInvalidArgument,
                                           "MOUNT_ROOT_NOT_A_DEVICE",
                                           "\"/dev/{path}\" is no device"};

inline constexpr ErrorTemplate kTargetIsFile{
    absl::StatusCode::kFailedPrecondition, "MOUNT_ROOT_TARGET_IS_FILE",
    "\"{path}\" in the environment is a file: expected a directory"};

inline constexpr ErrorTemplate kTargetIsDirectory{
    absl::StatusCode::kFailedPrecondition, "MOUNT_ROOT_TARGET_IS_DIRECTORY",
    "\"{path}\" in the environment is a directory: expected a file"};

inline constexpr MessageTemplate kLayerLate{
    "no layer can be put over the image in time"};

inline constexpr MessageTemplate kOpenLate{"it does not open in time"};

}  // namespace carme::mount::mount_root_messages

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_MESSAGES_H_
