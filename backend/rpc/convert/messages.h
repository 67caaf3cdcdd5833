// The messages about requests that several gRPC services share
// (common/message.h).
#ifndef CARME_BACKEND_RPC_CONVERT_MESSAGES_H_
#define CARME_BACKEND_RPC_CONVERT_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::rpc_convert_messages {

inline constexpr ErrorTemplate kEnvironmentImageOfAnotherUser{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_IMAGE_OF_ANOTHER_USER",
    "image \"{image}\" is of user \"{owner}\": environments take the site's "
    "images and one's own"};

inline constexpr ErrorTemplate kHistoryEndInvalid{
    absl::StatusCode::kInvalidArgument, "HISTORY_END_INVALID",
    "ends: invalid value"};

inline constexpr ErrorTemplate kHistoryPageTokenInvalid{
    absl::StatusCode::kInvalidArgument, "HISTORY_PAGE_TOKEN_INVALID",
    "pageToken is invalid"};

inline constexpr ErrorTemplate kImageIdInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_ID_INVALID",
    "id: expected name:version of letters, digits and \"._-+\""};

inline constexpr ErrorTemplate kImagePathInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_PATH_INVALID",
    "path: expected an absolute path without \":\" and \",\""};

inline constexpr ErrorTemplate kImageDigestInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_DIGEST_INVALID",
    "sha256: expected 64 hexadecimal digits in lower case, or an empty text"};

inline constexpr ErrorTemplate kImageSizeInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_SIZE_INVALID",
    "sizeBytes: expected at least 0"};

inline constexpr ErrorTemplate kImageNameInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_NAME_INVALID",
    "name: expected name:version of letters, digits and \"._-+\""};

inline constexpr ErrorTemplate kImageSourcePathInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_SOURCE_PATH_INVALID",
    "path: expected an absolute one or \"~/…\", without \":\" and \",\""};

inline constexpr ErrorTemplate kImageSourceInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_SOURCE_INVALID",
    "source: expected a SIF, an OCI archive, an OCI directory, a definition or "
    "a Docker archive"};

inline constexpr ErrorTemplate kImageTooManyProjects{
    absl::StatusCode::kInvalidArgument, "IMAGE_TOO_MANY_PROJECTS",
    "projects: found {found}: expected at most {max}"};

inline constexpr ErrorTemplate kImageGroupsInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_GROUPS_INVALID",
    "groups: expected at most {max} names of 1 to {max_bytes} printable "
    "characters"};

inline constexpr ErrorTemplate kImageProjectUnknown{
    absl::StatusCode::kInvalidArgument, "IMAGE_PROJECT_UNKNOWN",
    "projects: no project has the id \"{project}\": expected ids of projects"};

inline constexpr ErrorTemplate kJobFilterStateInvalid{
    absl::StatusCode::kInvalidArgument, "JOB_FILTER_STATE_INVALID",
    "filter.states has {state}: expected a JobState"};

inline constexpr ErrorTemplate kPageSizeInvalid{
    absl::StatusCode::kInvalidArgument, "PAGE_SIZE_INVALID",
    "pageSize is {size}: expected 1 to {max}, or 0 for the default"};

inline constexpr ErrorTemplate kPageTokenOfAnotherFilter{
    absl::StatusCode::kInvalidArgument, "PAGE_TOKEN_OF_ANOTHER_FILTER",
    "pageToken is invalid: expected nextPageToken of a response to the same "
    "filter"};

inline constexpr ErrorTemplate kPageTokenInvalid{
    absl::StatusCode::kInvalidArgument, "PAGE_TOKEN_INVALID",
    "pageToken is invalid"};

inline constexpr ErrorTemplate kSearchTooLong{
    absl::StatusCode::kInvalidArgument, "SEARCH_TOO_LONG",
    "{field} has {bytes} bytes: expected at most {max}"};

// `problem` is a sentence about the partition, the account or the QOS.
inline constexpr ErrorTemplate kSlurmNameInvalid{
    absl::StatusCode::kInvalidArgument, "SLURM_NAME_INVALID", "{problem}"};

inline constexpr ErrorTemplate kSlurmNameUnverified{
    absl::StatusCode::kUnavailable, "SLURM_NAME_UNVERIFIED",
    "{problem}, and Slurm is unavailable now; try again later"};

}  // namespace carme::backend::rpc_convert_messages

#endif  // CARME_BACKEND_RPC_CONVERT_MESSAGES_H_
