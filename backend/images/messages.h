// The messages about images (common/message.h).
#ifndef CARME_BACKEND_IMAGES_MESSAGES_H_
#define CARME_BACKEND_IMAGES_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::image_messages {

// The first three are also the answers for an image or a project that exists
// but that the caller cannot see.
inline constexpr ErrorTemplate kNotFound{absl::StatusCode::kNotFound,
                                         "IMAGE_NOT_FOUND", "image not found"};
inline constexpr ErrorTemplate kNotYours{
    absl::StatusCode::kNotFound, "IMAGE_NOT_YOURS", "you have no such image"};
inline constexpr ErrorTemplate kNotInProject{
    absl::StatusCode::kNotFound, "IMAGE_SHARE_PROJECT_NOT_YOURS",
    "you are not a member of this project"};

// Why a job cannot start in an image.
inline constexpr ErrorTemplate kBeingBuilt{
    absl::StatusCode::kFailedPrecondition, "IMAGE_BEING_BUILT",
    "image \"{image}\" is being built: try again later, or start without an "
    "image"};
inline constexpr ErrorTemplate kNotMadeYet{
    absl::StatusCode::kFailedPrecondition, "IMAGE_NOT_MADE_YET",
    "image \"{image}\" is not made yet"};
inline constexpr ErrorTemplate kNotMade{absl::StatusCode::kFailedPrecondition,
                                        "IMAGE_BUILD_FAILED",
                                        "image \"{image}\" could not be made"};
inline constexpr ErrorTemplate kWithdrawn{absl::StatusCode::kFailedPrecondition,
                                          "IMAGE_WITHDRAWN",
                                          "image \"{image}\" is withdrawn"};
inline constexpr ErrorTemplate kBeingCopied{
    absl::StatusCode::kFailedPrecondition, "IMAGE_BEING_COPIED",
    "image \"{image}\" is being copied to the site's directory for shared "
    "images: try again when that is done"};
inline constexpr ErrorTemplate kNotCopied{
    absl::StatusCode::kFailedPrecondition, "IMAGE_NOT_COPIED",
    "image \"{image}\" is not in the site's directory for shared images: ask "
    "its owner or the manager who shared it to copy it again"};
inline constexpr ErrorTemplate kNotOffered{
    absl::StatusCode::kFailedPrecondition, "IMAGE_NOT_OFFERED",
    "image \"{image}\" is no longer offered"};
inline constexpr ErrorTemplate kNotForUser{
    absl::StatusCode::kFailedPrecondition, "IMAGE_NOT_FOR_USER",
    "image \"{image}\" is not for user \"{user}\" any more"};
inline constexpr ErrorTemplate kProjectsUnavailable{
    absl::StatusCode::kUnavailable, "IMAGE_PROJECTS_UNAVAILABLE",
    "the projects cannot be read now"};
inline constexpr ErrorTemplate kNotBuiltByJob{
    absl::StatusCode::kFailedPrecondition, "IMAGE_NOT_BUILT_BY_JOB",
    "this job does not build an image \"{image}\""};

// Changes of the catalogue.
inline constexpr ErrorTemplate kTooMany{
    absl::StatusCode::kResourceExhausted, "IMAGE_LIMIT_REACHED",
    "there are {images} images: remove some first"};
inline constexpr ErrorTemplate kAlreadyExists{
    absl::StatusCode::kAlreadyExists, "IMAGE_ALREADY_EXISTS",
    "there is already an image \"{image}\": choose another version, because "
    "the file of a version never changes"};
inline constexpr ErrorTemplate kDefinedInConfiguration{
    absl::StatusCode::kFailedPrecondition, "IMAGE_DEFINED_IN_CONFIGURATION",
    "image \"{image}\" is defined in backend.toml: change it there"};
inline constexpr ErrorTemplate kOwnedByUser{
    absl::StatusCode::kFailedPrecondition, "IMAGE_OWNED_BY_USER",
    "image \"{image}\" is of user \"{user}\": withdraw it, or ask its owner to "
    "remove it"};

// Sharing.
inline constexpr ErrorTemplate kNotInGroup{
    absl::StatusCode::kPermissionDenied, "IMAGE_SHARE_GROUP_NOT_YOURS",
    "you are not in group \"{group}\": choose one of your groups"};
inline constexpr ErrorTemplate kOnlyManagersOfProject{
    absl::StatusCode::kPermissionDenied, "IMAGE_SHARE_MANAGER_REQUIRED",
    "only a manager of the project or an administrator may do this"};
inline constexpr ErrorTemplate kNotManagedGroup{
    absl::StatusCode::kPermissionDenied, "IMAGE_SHARE_GROUP_NOT_MANAGED",
    "you do not manage group \"{group}\": ask a manager who is a member, or an "
    "administrator"};
inline constexpr ErrorTemplate kNotComplete{
    absl::StatusCode::kFailedPrecondition, "IMAGE_NOT_COMPLETE",
    "the image must be complete and not withdrawn"};
inline constexpr ErrorTemplate kProjectNotActive{
    absl::StatusCode::kFailedPrecondition, "IMAGE_SHARE_PROJECT_NOT_ACTIVE",
    "the project has ended or waits for approval"};
inline constexpr ErrorTemplate kTooManyShares{
    absl::StatusCode::kResourceExhausted, "IMAGE_SHARE_LIMIT_REACHED",
    "the image is shared with the maximum of {max} groups and projects"};

// Settings of an image.
inline constexpr ErrorTemplate kInvalidDescription{
    absl::StatusCode::kInvalidArgument, "IMAGE_DESCRIPTION_INVALID",
    "description: expected at most {max} printable characters"};
inline constexpr ErrorTemplate kUnknownApp{
    absl::StatusCode::kInvalidArgument, "IMAGE_APP_UNKNOWN",
    "app \"{app}\" is not offered: expected one of: {apps}"};
inline constexpr ErrorTemplate kTooManyMounts{
    absl::StatusCode::kInvalidArgument, "IMAGE_MOUNT_LIMIT_EXCEEDED",
    "image has {mounts} mounts: expected at most {max}"};
inline constexpr ErrorTemplate kInvalidMount{
    absl::StatusCode::kInvalidArgument, "IMAGE_MOUNT_INVALID",
    "mount \"{source}\" at \"{target}\": expected absolute paths without "
    "\":\" and \",\""};
inline constexpr ErrorTemplate kTooManyVariables{
    absl::StatusCode::kInvalidArgument, "IMAGE_VARIABLE_LIMIT_EXCEEDED",
    "image has {variables} variables: expected at most {max}"};
inline constexpr ErrorTemplate kReservedVariable{
    absl::StatusCode::kInvalidArgument, "IMAGE_VARIABLE_RESERVED",
    "variable \"{variable}\" is Slurm's or Carme's: expected a name that does "
    "not begin with SLURM_, SLURMD_ or CARME_"};
inline constexpr ErrorTemplate kInvalidVariable{
    absl::StatusCode::kInvalidArgument, "IMAGE_VARIABLE_INVALID",
    "variable \"{variable}\": expected a name of letters, digits and \"_\", "
    "and a value of at most {max} printable characters"};
inline constexpr ErrorTemplate kInvalidVersion{
    absl::StatusCode::kInvalidArgument, "IMAGE_VERSION_INVALID",
    "{field} is \"{version}\": expected numbers with dots between"};
inline constexpr ErrorTemplate kUnknownRole{absl::StatusCode::kInvalidArgument,
                                            "IMAGE_ROLE_UNKNOWN",
                                            "roles: unknown value"};

// Status files of images that are being built.
inline constexpr ErrorTemplate kStatusNotRegular{
    absl::StatusCode::kFailedPrecondition, "IMAGE_STATUS_FILE_NOT_REGULAR",
    "\"{path}\" is not a regular file"};
inline constexpr ErrorTemplate kStatusWritable{
    absl::StatusCode::kFailedPrecondition, "IMAGE_STATUS_FILE_WRITABLE",
    "\"{path}\" can be written by other users than root"};
inline constexpr ErrorTemplate kStatusIsLink{
    absl::StatusCode::kFailedPrecondition, "IMAGE_STATUS_FILE_IS_LINK",
    "\"{path}\" is a link"};
inline constexpr ErrorTemplate kStatusTooLong{
    absl::StatusCode::kResourceExhausted, "IMAGE_STATUS_FILE_TOO_LONG",
    "\"{path}\" is longer than {max} bytes"};
inline constexpr ErrorTemplate kStatusInvalidLine{
    absl::StatusCode::kInvalidArgument, "IMAGE_STATUS_LINE_INVALID",
    "status file: invalid line {line}"};
inline constexpr ErrorTemplate kStatusWithoutState{
    absl::StatusCode::kInvalidArgument, "IMAGE_STATUS_STATE_MISSING",
    "status file: state is missing"};
inline constexpr ErrorTemplate kStatusInvalidStep{
    absl::StatusCode::kInvalidArgument, "IMAGE_STATUS_STEP_INVALID",
    "status file: step is beyond steps"};

// Stored with an image that is not usable.
inline constexpr MessageTemplate kBuildNotStarted{"the build has not started"};
inline constexpr MessageTemplate kBuildStatusUnreadable{
    "the status of the build cannot be read"};
inline constexpr MessageTemplate kBuildFailed{"the build failed"};
inline constexpr MessageTemplate kBuildWithoutDigest{
    "the build did not report a digest"};
inline constexpr MessageTemplate kBuildWithoutProgress{
    "the build reports no progress since {time}"};
inline constexpr MessageTemplate kStatusWithoutTime{
    "the status file has no updated_at"};
inline constexpr MessageTemplate kCheckEndedEarly{
    "the job that checked the file ended without a result"};
inline constexpr MessageTemplate kBuildEndedEarly{
    "the job ended before the image was complete"};
inline constexpr MessageTemplate kCopyEndedEarly{
    "the job that copied it ended before the copy was complete"};

}  // namespace carme::backend::image_messages

#endif  // CARME_BACKEND_IMAGES_MESSAGES_H_
