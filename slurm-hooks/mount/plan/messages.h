// Problems of an environment that a node finds. Users read them in their
// terminal.
#ifndef CARME_SLURM_HOOKS_MOUNT_PLAN_MESSAGES_H_
#define CARME_SLURM_HOOKS_MOUNT_PLAN_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::mount::mount_plan_messages {

inline constexpr ErrorTemplate kImageByDigest{
    absl::StatusCode::kFailedPrecondition, "MOUNT_PLAN_IMAGE_BY_DIGEST",
    "image \"{image}\" is named by its digest, and nodes fetch no images: "
    "expected the name of one that the site has imported"};

inline constexpr ErrorTemplate kImageNotOnNode{
    absl::StatusCode::kNotFound, "MOUNT_PLAN_IMAGE_NOT_ON_NODE",
    "image \"{image}\" is not on this node, and nodes fetch no images: "
    "expected \"{name}.sqsh\" in \"{directories}\", or one that you have "
    "pulled (carme edf pull)"};

inline constexpr ErrorTemplate kPlanInvalid{
    absl::StatusCode::kInvalidArgument, "MOUNT_PLAN_INVALID",
    "the plan of the environment is odd: {problem}"};

inline constexpr ErrorTemplate kMountAtRoot{
    absl::StatusCode::kInvalidArgument, "MOUNT_PLAN_MOUNT_AT_ROOT",
    "mount at \"/\": expected a directory of the environment"};

inline constexpr ErrorTemplate kMountAtOwn{
    absl::StatusCode::kInvalidArgument, "MOUNT_PLAN_MOUNT_AT_OWN",
    "mount at \"{path}\": expected a destination outside of /proc, /sys and "
    "/dev, which are the environment's own"};

inline constexpr ErrorTemplate kEntrypoint{
    absl::StatusCode::kFailedPrecondition, "MOUNT_PLAN_ENTRYPOINT",
    "\"entrypoint\" is true: expected false, because images of nodes have no "
    "entrypoint"};

inline constexpr ErrorTemplate kNotAFileOrDirectory{
    absl::StatusCode::kFailedPrecondition, "MOUNT_PLAN_NOT_A_FILE_OR_DIRECTORY",
    "{subject}: expected a file or a directory"};

inline constexpr ErrorTemplate kTooManyDriverFiles{
    absl::StatusCode::kFailedPrecondition, "MOUNT_PLAN_TOO_MANY_DRIVER_FILES",
    "nvidia_driver in environment.toml matches more than {max} files"};

inline constexpr ErrorTemplate kNotADevice{
    absl::StatusCode::kFailedPrecondition, "MOUNT_PLAN_NOT_A_DEVICE",
    "{subject}: expected a device"};

inline constexpr ErrorTemplate kImageUnknown{
    absl::StatusCode::kNotFound, "MOUNT_PLAN_IMAGE_UNKNOWN",
    "image \"{image}\" is not known on this node: expected an image that the "
    "site lists in environment.toml; any other image can be named by its path, "
    "which the page Images shows"};

inline constexpr ErrorTemplate kImageUnknownToUser{
    absl::StatusCode::kNotFound, "MOUNT_PLAN_IMAGE_UNKNOWN_TO_USER",
    "image \"{image}\" is not known on this node: expected an image that the "
    "site lists in environment.toml, or \"{path}\"; any other image can be "
    "named by its path, which the page Images shows"};

}  // namespace carme::mount::mount_plan_messages

#endif  // CARME_SLURM_HOOKS_MOUNT_PLAN_MESSAGES_H_
