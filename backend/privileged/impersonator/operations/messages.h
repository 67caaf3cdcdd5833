// Errors of the impersonator's operations. Users read them.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_MESSAGES_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::impersonator::operation_messages {

inline constexpr ErrorTemplate kExtendRefused{
    absl::StatusCode::kPermissionDenied, "OPERATION_EXTEND_REFUSED",
    "extend: {cause}"};

inline constexpr ErrorTemplate kPartitionsUnreadable{
    absl::StatusCode::kUnavailable, "OPERATION_PARTITIONS_UNREADABLE",
    "extend: cannot read the partitions from Slurm"};

inline constexpr ErrorTemplate kReservationsUnreadable{
    absl::StatusCode::kUnavailable, "OPERATION_RESERVATIONS_UNREADABLE",
    "extend: cannot read the reservations from Slurm"};

inline constexpr ErrorTemplate kLogDirectoryIsLink{
    absl::StatusCode::kPermissionDenied, "OPERATION_LOG_DIRECTORY_IS_LINK",
    "{subject}: found a link, or not a directory"};

inline constexpr ErrorTemplate kLogNotAFile{absl::StatusCode::kPermissionDenied,
                                            "OPERATION_LOG_NOT_A_FILE",
                                            "the log is not a regular file"};

inline constexpr ErrorTemplate kLogOwner{
    absl::StatusCode::kPermissionDenied, "OPERATION_LOG_OWNER",
    "the log belongs to uid {owner}: expected {uid}"};

inline constexpr ErrorTemplate kSlurmUserRefused{
    absl::StatusCode::kPermissionDenied, "OPERATION_SLURM_USER_REFUSED",
    "run as SlurmUser: {cause}"};

inline constexpr ErrorTemplate kWorkDirectoryIsLink{
    absl::StatusCode::kPermissionDenied, "OPERATION_WORK_DIRECTORY_IS_LINK",
    "{subject}: found a link, expected a directory"};

inline constexpr ErrorTemplate kArrayTooLarge{
    absl::StatusCode::kPermissionDenied, "OPERATION_ARRAY_TOO_LARGE",
    "array has {tasks} tasks: expected at most {max} (max_array_tasks)"};

inline constexpr ErrorTemplate kExtendOverPartition{
    absl::StatusCode::kPermissionDenied, "OPERATION_EXTEND_OVER_PARTITION",
    "extend: {minutes} minutes: partition \"{partition}\" allows at most "
    "{max}"};

inline constexpr ErrorTemplate kExtendPartitionHidden{
    absl::StatusCode::kPermissionDenied, "OPERATION_EXTEND_PARTITION_HIDDEN",
    "extend: the partition of the job is not visible"};

inline constexpr ErrorTemplate kExtendOverLimit{
    absl::StatusCode::kPermissionDenied, "OPERATION_EXTEND_OVER_LIMIT",
    "extend: {minutes} minutes: {limit} allows at most {max}"};

inline constexpr ErrorTemplate kExtendOverSite{
    absl::StatusCode::kPermissionDenied, "OPERATION_EXTEND_OVER_SITE",
    "extend: {minutes} minutes: expected at most {max}"};

inline constexpr ErrorTemplate kExtendNotLonger{
    absl::StatusCode::kPermissionDenied, "OPERATION_EXTEND_NOT_LONGER",
    "extend: {minutes} minutes: expected more than the current time limit"};

inline constexpr ErrorTemplate kExtendDisabled{
    absl::StatusCode::kPermissionDenied, "OPERATION_EXTEND_DISABLED",
    "extend: extensions are disabled on this site"};

inline constexpr ErrorTemplate kExtendArray{
    absl::StatusCode::kPermissionDenied, "OPERATION_EXTEND_ARRAY",
    "extend: the job is an array; expected a single job"};

inline constexpr ErrorTemplate kArrayKeepsNodes{
    absl::StatusCode::kPermissionDenied, "OPERATION_ARRAY_KEEPS_NODES",
    "return nodes: the job is an array; expected a single job"};

inline constexpr ErrorTemplate kBatchHostKept{
    absl::StatusCode::kPermissionDenied, "OPERATION_BATCH_HOST_KEPT",
    "return nodes: the job's batch script runs on node \"{node}\""};

inline constexpr ErrorTemplate kStepKeepsNodes{
    absl::StatusCode::kPermissionDenied, "OPERATION_STEP_KEEPS_NODES",
    "return nodes: steps of the job run on all of these nodes"};

inline constexpr ErrorTemplate kNodeAgentNotListed{
    absl::StatusCode::kUnavailable, "OPERATION_NODE_AGENT_NOT_LISTED",
    "return nodes: Slurm lists no step of carme-node-agent on node \"{node}\""};

inline constexpr ErrorTemplate kReserveDisabled{
    absl::StatusCode::kPermissionDenied, "OPERATION_RESERVE_DISABLED",
    "reserve: reservations are disabled on this site"};

inline constexpr ErrorTemplate kReserveNotInGroup{
    absl::StatusCode::kPermissionDenied, "OPERATION_RESERVE_NOT_IN_GROUP",
    "reserve: user \"{user}\" is not in group \"{group}\""};

inline constexpr ErrorTemplate kReserveFirstUser{
    absl::StatusCode::kPermissionDenied, "OPERATION_RESERVE_FIRST_USER",
    "reserve: first user \"{found}\": expected \"{user}\""};

inline constexpr ErrorTemplate kReservePartition{
    absl::StatusCode::kPermissionDenied, "OPERATION_RESERVE_PARTITION",
    "reserve: partition \"{partition}\": expected one of {partitions}"};

inline constexpr ErrorTemplate kReserveTooManyNodes{
    absl::StatusCode::kPermissionDenied, "OPERATION_RESERVE_TOO_MANY_NODES",
    "reserve: {nodes} nodes: expected at most {max}"};

inline constexpr ErrorTemplate kReserveTooLong{
    absl::StatusCode::kPermissionDenied, "OPERATION_RESERVE_TOO_LONG",
    "reserve: {minutes} minutes: expected at most {max}"};

inline constexpr ErrorTemplate kReserveStart{
    absl::StatusCode::kPermissionDenied, "OPERATION_RESERVE_START",
    "reserve: the start is in the past, or in more than {max} days"};

inline constexpr ErrorTemplate kMaintenanceDisabled{
    absl::StatusCode::kPermissionDenied, "OPERATION_MAINTENANCE_DISABLED",
    "reserve: maintenance reservations are disabled: set \"group\" of "
    "[maintenance] in impersonator.toml"};

inline constexpr ErrorTemplate kMaintenanceNotInGroup{
    absl::StatusCode::kPermissionDenied, "OPERATION_MAINTENANCE_NOT_IN_GROUP",
    "reserve: user \"{user}\" is not in group \"{group}\" of [maintenance]"};

inline constexpr ErrorTemplate kNodesDisabled{
    absl::StatusCode::kPermissionDenied, "OPERATION_NODES_DISABLED",
    "set node state: changes of nodes are disabled: set \"group\" of [nodes] "
    "in "
    "impersonator.toml"};

inline constexpr ErrorTemplate kNodesNotInGroup{
    absl::StatusCode::kPermissionDenied, "OPERATION_NODES_NOT_IN_GROUP",
    "set node state: user \"{user}\" is not in group \"{group}\" of [nodes]"};

inline constexpr ErrorTemplate kNodeUnknown{
    absl::StatusCode::kNotFound, "OPERATION_NODE_UNKNOWN",
    "set node state: Slurm has no node \"{node}\""};

inline constexpr ErrorTemplate kNodeWithoutFeature{
    absl::StatusCode::kPermissionDenied, "OPERATION_NODE_WITHOUT_FEATURE",
    "set node state: node \"{node}\" does not have feature \"{feature}\""};

inline constexpr ErrorTemplate kNodeDrainedByOthers{
    absl::StatusCode::kPermissionDenied, "OPERATION_NODE_DRAINED_BY_OTHERS",
    "set node state: node \"{node}\" was not drained by Carme, its reason is "
    "\"{reason}\": use scontrol"};

inline constexpr ErrorTemplate kTooManyNodesDrained{
    absl::StatusCode::kPermissionDenied, "OPERATION_TOO_MANY_NODES_DRAINED",
    "set node state: {drained} of {nodes} nodes would be drained or down: "
    "expected at most {max} (max_drained_percent)"};

inline constexpr ErrorTemplate kReservationOfAnother{
    absl::StatusCode::kPermissionDenied, "OPERATION_RESERVATION_OF_ANOTHER",
    "reserve: the reservation belongs to another user"};

inline constexpr ErrorTemplate kReserveTooMany{
    absl::StatusCode::kPermissionDenied, "OPERATION_RESERVE_TOO_MANY",
    "reserve: user \"{user}\" has {count}: expected fewer than {max}"};

inline constexpr ErrorTemplate kUnreserveOfAnother{
    absl::StatusCode::kPermissionDenied, "OPERATION_UNRESERVE_OF_ANOTHER",
    "reserve: \"{name}\" does not belong to user \"{user}\""};

inline constexpr ErrorTemplate kSlurmUserNotNeeded{
    absl::StatusCode::kPermissionDenied, "OPERATION_SLURM_USER_NOT_NEEDED",
    "run as SlurmUser: the configuration offers no operation that needs it"};

inline constexpr ErrorTemplate kSlurmUserUnknown{
    absl::StatusCode::kPermissionDenied, "OPERATION_SLURM_USER_UNKNOWN",
    "run as SlurmUser: this libslurm does not report it"};

inline constexpr ErrorTemplate kSlurmUserIsRoot{
    absl::StatusCode::kPermissionDenied, "OPERATION_SLURM_USER_IS_ROOT",
    "run as SlurmUser: it is root in slurm.conf: expected a dedicated user"};

inline constexpr ErrorTemplate kSlurmUserIds{
    absl::StatusCode::kPermissionDenied, "OPERATION_SLURM_USER_IDS",
    "run as SlurmUser: SlurmUser \"{user}\" has uid {uid} and gid {gid}: "
    "expected uid {expected} and a group other than root"};

inline constexpr ErrorTemplate kExtendReservationEnds{
    absl::StatusCode::kPermissionDenied, "OPERATION_EXTEND_RESERVATION_ENDS",
    "extend: reservation \"{reservation}\" of the job ends before the new end"};

inline constexpr ErrorTemplate kExtendReservationNeedsNode{
    absl::StatusCode::kPermissionDenied,
    "OPERATION_EXTEND_RESERVATION_NEEDS_NODE",
    "extend: reservation \"{reservation}\" needs a node of the job before the "
    "new end"};

}  // namespace carme::impersonator::operation_messages

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_MESSAGES_H_
