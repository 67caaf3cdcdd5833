// What the prolog and the epilog report to the node's system log.
#ifndef CARME_SLURM_HOOKS_HOOKS_MESSAGES_H_
#define CARME_SLURM_HOOKS_HOOKS_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::hooks::hook_messages {

inline constexpr ErrorTemplate kKilled{absl::StatusCode::kDeadlineExceeded,
                                       "HOOK_KILLED", "killed after {limit}"};

inline constexpr ErrorTemplate kNotANumber{
    absl::StatusCode::kInvalidArgument, "HOOK_NOT_A_NUMBER",
    "{name} is \"{value}\": expected a number from slurmd"};

inline constexpr ErrorTemplate kJobOfRoot{
    absl::StatusCode::kPermissionDenied, "HOOK_JOB_OF_ROOT",
    "job {job} is root's: Carme has no jobs of root"};

inline constexpr ErrorTemplate kProcessesLeft{
    absl::StatusCode::kDeadlineExceeded, "HOOK_PROCESSES_LEFT",
    "{processes} processes of job {job} still run after its last step"};

inline constexpr ErrorTemplate kNoNodeList{
    absl::StatusCode::kInvalidArgument, "HOOK_NO_NODE_LIST",
    "SLURM_NODELIST is \"{value}\": expected a list of nodes from slurmd"};

inline constexpr ErrorTemplate kDirectoryOwner{
    absl::StatusCode::kFailedPrecondition, "HOOK_DIRECTORY_OWNER",
    "directory \"{path}\" has owner {owner} and mode {mode}: expected root's "
    "and writable by root alone"};

inline constexpr ErrorTemplate kNotADirectory{
    absl::StatusCode::kFailedPrecondition, "HOOK_NOT_A_DIRECTORY",
    "\"{path}\" is a link or a file: expected a directory"};

inline constexpr ErrorTemplate kNotAbsolute{
    absl::StatusCode::kInvalidArgument, "HOOK_NOT_ABSOLUTE",
    "directory \"{path}\": expected an absolute path"};

inline constexpr ErrorTemplate kForbiddenStep{
    absl::StatusCode::kInvalidArgument, "HOOK_FORBIDDEN_STEP",
    "directory \"{path}\": expected no \"{name}\" in it"};

inline constexpr ErrorTemplate kProgramLate{
    absl::StatusCode::kDeadlineExceeded, "HOOK_PROGRAM_LATE",
    "{program} took longer than allowed: killed"};

inline constexpr ErrorTemplate kNoRoomForScratch{
    absl::StatusCode::kResourceExhausted, "HOOK_NO_ROOM_FOR_SCRATCH",
    "the node's disk has no room for the job's scratch of {gib} GiB"};

inline constexpr ErrorTemplate kNoLoopDevice{absl::StatusCode::kUnavailable,
                                             "HOOK_NO_LOOP_DEVICE",
                                             "no loop device is free"};

inline constexpr ErrorTemplate kTrashNotRoots{
    absl::StatusCode::kFailedPrecondition, "HOOK_TRASH_NOT_ROOTS",
    "the trash is not root's alone"};

inline constexpr ErrorTemplate kDiskTooSlow{absl::StatusCode::kDeadlineExceeded,
                                            "HOOK_DISK_TOO_SLOW",
                                            "the disk is too slow"};

inline constexpr ErrorTemplate kMountPoint{
    absl::StatusCode::kFailedPrecondition, "HOOK_MOUNT_POINT",
    "\"{name}\" is a mount point"};

inline constexpr ErrorTemplate kDirectoryOfAnother{
    absl::StatusCode::kFailedPrecondition, "HOOK_DIRECTORY_OF_ANOTHER",
    "\"{name}\" is a directory of uid {uid}"};

inline constexpr ErrorTemplate kRemovalLate{absl::StatusCode::kDeadlineExceeded,
                                            "HOOK_REMOVAL_LATE",
                                            "it took longer than allowed"};

}  // namespace carme::hooks::hook_messages

#endif  // CARME_SLURM_HOOKS_HOOKS_MESSAGES_H_
