// Problems with a job's environment and its images. They become the reason on
// the job's card.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_MESSAGES_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::agent::agent_environment_messages {

inline constexpr ErrorTemplate kPathNotMountable{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_PATH_NOT_MOUNTABLE",
    "folder \"{path}\" cannot be shown to a container: expected an absolute "
    "path without \":\", \",\" and quotes"};

inline constexpr ErrorTemplate kNeedsApptainer{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_NEEDS_APPTAINER",
    "image \"{image}\" needs Apptainer: this node's agent.toml names none"};

inline constexpr ErrorTemplate kNoScratchDirectory{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_NO_SCRATCH_DIRECTORY",
    "the job has no directory on this node's disk: set scratch_directory in "
    "agent.toml, and carme's prolog to have run"};

inline constexpr ErrorTemplate kNeedsSrun{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_NEEDS_SRUN",
    "an environment needs srun in agent.toml and the node name in "
    "SLURMD_NODENAME"};

inline constexpr ErrorTemplate kImageSourceIsLink{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_IMAGE_SOURCE_IS_LINK",
    "{subject} is a link: expected the file itself"};

inline constexpr ErrorTemplate kImageSourceOwner{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_IMAGE_SOURCE_OWNER",
    "{subject} belongs to uid {owner}: expected yours, {uid}, because its "
    "owner can change it"};

inline constexpr ErrorTemplate kImageFolderUnusable{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_IMAGE_FOLDER_UNUSABLE",
    "\"{folder}\": expected a directory of yours: {cause}"};

inline constexpr ErrorTemplate kNotSif{absl::StatusCode::kFailedPrecondition,
                                       "ENVIRONMENT_NOT_SIF",
                                       "{subject} is no SIF"};

inline constexpr ErrorTemplate kImageChangedWhileRead{
    absl::StatusCode::kFailedPrecondition,
    "ENVIRONMENT_IMAGE_CHANGED_WHILE_READ",
    "{subject} changed while it was read: try again"};

inline constexpr ErrorTemplate kCannotBuildImages{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_CANNOT_BUILD_IMAGES",
    "this node cannot build images: set apptainer and scratch_directory in "
    "agent.toml"};

inline constexpr ErrorTemplate kBuildFailed{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_BUILD_FAILED",
    "{program} ended with exit code {exit_code}: {cause}"};

inline constexpr ErrorTemplate kImageWritableByOthers{
    absl::StatusCode::kFailedPrecondition,
    "ENVIRONMENT_IMAGE_WRITABLE_BY_OTHERS",
    "\"{path}\" has mode {mode}: expected a mode that lets only its owner "
    "write"};

inline constexpr ErrorTemplate kSharedImageOwner{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_SHARED_IMAGE_OWNER",
    "\"{path}\" belongs to uid {owner}: expected the account for shared "
    "images, {uid}"};

inline constexpr ErrorTemplate kSharedFolderOwner{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_SHARED_FOLDER_OWNER",
    "\"{path}\" has owner {owner} and mode {mode}: expected owner 0 or {uid}, "
    "and not writable by others"};

inline constexpr ErrorTemplate kImageNotAFile{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_IMAGE_NOT_A_FILE",
    "{subject} is not a regular file"};

inline constexpr ErrorTemplate kImageSizeChanged{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_IMAGE_SIZE_CHANGED",
    "{subject} has changed since it was recorded: it has {found} bytes: "
    "expected {expected}"};

inline constexpr ErrorTemplate kImageDigestChanged{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_IMAGE_DIGEST_CHANGED",
    "{subject} has changed since it was recorded: its SHA-256 is {found}: "
    "expected {expected}"};

inline constexpr ErrorTemplate kCopyRemoved{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_COPY_REMOVED",
    "{subject} was removed meanwhile: copy it again"};

inline constexpr ErrorTemplate kCopyDamaged{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_COPY_DAMAGED",
    "{subject} is damaged: its SHA-256 is {found}"};

inline constexpr ErrorTemplate kImageOwner{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_IMAGE_OWNER",
    "\"{path}\" belongs to uid {owner}: expected root, or yours, {uid}"};

inline constexpr ErrorTemplate kImageNotYours{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_IMAGE_NOT_YOURS",
    "{subject} belongs to uid {owner}: expected yours, {uid}"};

inline constexpr ErrorTemplate kNotRunning{absl::StatusCode::kUnavailable,
                                           "ENVIRONMENT_NOT_RUNNING",
                                           "the environment is not running"};

inline constexpr ErrorTemplate kSourceNotADirectory{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_SOURCE_NOT_A_DIRECTORY",
    "{subject} is something else: expected a directory"};

inline constexpr ErrorTemplate kSourceNotAFile{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_SOURCE_NOT_A_FILE",
    "{subject} is something else: expected a file"};

inline constexpr ErrorTemplate kCopyNotAFile{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_COPY_NOT_A_FILE",
    "\"{path}\" is of another kind: expected a regular file"};

inline constexpr ErrorTemplate kCopyNotADirectory{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_COPY_NOT_A_DIRECTORY",
    "\"{path}\" is of another kind: expected a directory"};

inline constexpr TextTemplate kEnded{
    "ENVIRONMENT_ENDED", "the environment ended with exit code {exit_code}"};

inline constexpr ErrorTemplate kInvalidEnvironment{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_REJECTED",
    "environment {name}: {problem}"};

inline constexpr ErrorTemplate kInvalidEnvironmentMany{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_REJECTED_MANY",
    "environment {name}: {problem} (and {more} more)"};

}  // namespace carme::agent::agent_environment_messages

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_MESSAGES_H_
