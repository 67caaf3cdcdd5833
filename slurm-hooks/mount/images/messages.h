// Why an image cannot be mounted. Users read them in their terminal.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_MESSAGES_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::mount::mount_image_messages {

inline constexpr ErrorTemplate kNoThread{absl::StatusCode::kResourceExhausted,
                                         "MOUNT_IMAGE_NO_THREAD",
                                         "no thread can be started"};

inline constexpr ErrorTemplate kImageLate{absl::StatusCode::kDeadlineExceeded,
                                          "MOUNT_IMAGE_LATE",
                                          "it cannot be read in time"};

inline constexpr ErrorTemplate kNotAnImage{absl::StatusCode::kInvalidArgument,
                                           "MOUNT_IMAGE_NOT_AN_IMAGE",
                                           "expected a squashfs or SIF image"};

inline constexpr ErrorTemplate kSquashfsVersion{
    absl::StatusCode::kInvalidArgument, "MOUNT_IMAGE_SQUASHFS_VERSION",
    "expected a squashfs of version 4"};

inline constexpr ErrorTemplate kImageCut{
    absl::StatusCode::kInvalidArgument, "MOUNT_IMAGE_CUT",
    "it is cut: expected a whole squashfs"};

inline constexpr ErrorTemplate kEncrypted{absl::StatusCode::kInvalidArgument,
                                          "MOUNT_IMAGE_ENCRYPTED",
                                          "it is encrypted"};

inline constexpr ErrorTemplate kNotSquashfs{absl::StatusCode::kInvalidArgument,
                                            "MOUNT_IMAGE_NOT_SQUASHFS",
                                            "its file system is not squashfs"};

inline constexpr ErrorTemplate kPartitionTooLong{
    absl::StatusCode::kInvalidArgument, "MOUNT_IMAGE_PARTITION_TOO_LONG",
    "its partition ends behind the file"};

inline constexpr ErrorTemplate kContentsInvalid{
    absl::StatusCode::kInvalidArgument, "MOUNT_IMAGE_CONTENTS_INVALID",
    "its table of contents is odd"};

inline constexpr ErrorTemplate kNoPrimaryPartition{
    absl::StatusCode::kInvalidArgument, "MOUNT_IMAGE_NO_PRIMARY_PARTITION",
    "it has no primary partition"};

inline constexpr ErrorTemplate kNotAFile{absl::StatusCode::kInvalidArgument,
                                         "MOUNT_IMAGE_NOT_A_FILE",
                                         "expected a file"};

inline constexpr ErrorTemplate kCompression{
    absl::StatusCode::kInvalidArgument, "MOUNT_IMAGE_COMPRESSION",
    "its compression is \"{compression}\": expected gzip, lzma, xz, lzo, lz4 "
    "or zstd"};

inline constexpr ErrorTemplate kDamaged{absl::StatusCode::kInvalidArgument,
                                        "MOUNT_IMAGE_DAMAGED",
                                        "its squashfs is damaged"};

inline constexpr ErrorTemplate kOwner{
    absl::StatusCode::kPermissionDenied, "MOUNT_IMAGE_OWNER",
    "\"{path}\" has owner {owner} and mode {mode}: expected owner {expected}, "
    "writable by its owner only"};

inline constexpr ErrorTemplate kLink{absl::StatusCode::kPermissionDenied,
                                     "MOUNT_IMAGE_LINK",
                                     "\"{path}\" is a link"};

inline constexpr ErrorTemplate kReplaced{absl::StatusCode::kPermissionDenied,
                                         "MOUNT_IMAGE_REPLACED",
                                         "\"{path}\" was replaced"};

inline constexpr ErrorTemplate kNotOfTheSite{
    absl::StatusCode::kPermissionDenied, "MOUNT_IMAGE_NOT_OF_THE_SITE",
    "it is not one of the site's: expected one in \"{directories}\""};

inline constexpr ErrorTemplate kNotOfTheSiteOrUnpacked{
    absl::StatusCode::kPermissionDenied,
    "MOUNT_IMAGE_NOT_OF_THE_SITE_OR_UNPACKED",
    "it is not one of the site's: expected one in \"{directories}\", or a "
    "directory of unpacked files"};

inline constexpr ErrorTemplate kTooManyImages{
    absl::StatusCode::kResourceExhausted, "MOUNT_IMAGE_TOO_MANY_IMAGES",
    "expected at most {max} images that are not the site's"};

}  // namespace carme::mount::mount_image_messages

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_MESSAGES_H_
