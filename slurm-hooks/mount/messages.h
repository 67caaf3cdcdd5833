// Errors of the mount helper's start.
#ifndef CARME_SLURM_HOOKS_MOUNT_MESSAGES_H_
#define CARME_SLURM_HOOKS_MOUNT_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::mount::mount_messages {

inline constexpr ErrorTemplate kRootExpected{
    absl::StatusCode::kPermissionDenied, "MOUNT_ROOT_EXPECTED",
    "expected to be started as root"};

inline constexpr ErrorTemplate kUsage{
    absl::StatusCode::kInvalidArgument, "MOUNT_USAGE",
    "usage: carme-env-mount UID GID [SCRIPT]"};

inline constexpr ErrorTemplate kNotForRoot{absl::StatusCode::kPermissionDenied,
                                           "MOUNT_NOT_FOR_ROOT",
                                           "root has no environments"};

inline constexpr ErrorTemplate kTextTooLong{
    absl::StatusCode::kResourceExhausted, "MOUNT_TEXT_TOO_LONG",
    "the environment's text is too long"};

inline constexpr ErrorTemplate kFilesLate{
    absl::StatusCode::kDeadlineExceeded, "MOUNT_FILES_LATE",
    "its files do not open within {seconds} seconds"};

inline constexpr MessageTemplate kEnvironmentLate{
    "it is not made within {seconds} seconds"};

}  // namespace carme::mount::mount_messages

#endif  // CARME_SLURM_HOOKS_MOUNT_MESSAGES_H_
