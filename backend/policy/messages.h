// The messages about a job's app, image, size and partition
// (common/message.h).
#ifndef CARME_BACKEND_POLICY_MESSAGES_H_
#define CARME_BACKEND_POLICY_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::policy_messages {

inline constexpr TextTemplate kAppNotOffered{
    "JOB_SPEC_APP_NOT_OFFERED",
    "app \"{app}\" is not offered: expected one of: {offered}"};

inline constexpr TextTemplate kImageNotOffered{
    "JOB_SPEC_IMAGE_NOT_OFFERED",
    "image \"{image}\" is not offered: expected one of: {offered}"};

inline constexpr TextTemplate kImageNotOfTemplate{
    "JOB_SPEC_IMAGE_NOT_OF_TEMPLATE",
    "image \"{image}\" is not offered by this template: expected one of: "
    "{offered}"};

inline constexpr TextTemplate kImageWithAppNotOffered{
    "JOB_SPEC_IMAGE_WITH_APP_NOT_OFFERED",
    "image \"{image}\" with app \"{app}\" is not offered: expected one of: "
    "{offered}"};

inline constexpr TextTemplate kImageWithAppNotOfTemplate{
    "JOB_SPEC_IMAGE_WITH_APP_NOT_OF_TEMPLATE",
    "image \"{image}\" with app \"{app}\" is not offered by this template: "
    "expected one of: {offered}"};

inline constexpr TextTemplate kEnvironmentImageOfAnotherUser{
    "JOB_SPEC_ENVIRONMENT_IMAGE_OF_ANOTHER_USER",
    "environment \"{environment}\" has image \"{image}\" of user \"{owner}\": "
    "expected one of the site's, or your own"};

inline constexpr TextTemplate kImageWithEnvironment{
    "JOB_SPEC_IMAGE_WITH_ENVIRONMENT",
    "image \"{image}\" cannot be combined with environment \"{environment}\": "
    "expected one of them"};

inline constexpr TextTemplate kNodesForImageOfAnotherUser{
    "JOB_SPEC_NODES_FOR_IMAGE_OF_ANOTHER_USER",
    "job requests {nodes} nodes: image \"{image}\" of user \"{owner}\" allows "
    "at most 1"};

inline constexpr TextTemplate kSlurmUnavailable{
    "JOB_SPEC_SLURM_UNAVAILABLE", "Slurm does not respond: try again later"};

inline constexpr TextTemplate kNumberNegative{
    "JOB_SPEC_NUMBER_NEGATIVE", "{field} is {found}: expected at least 0"};

inline constexpr TextTemplate kJoinedImageNotOffered{
    "JOB_SPEC_JOINED_IMAGE_NOT_OFFERED",
    "image \"{image}\" of the job that it joins is not offered now"};

inline constexpr TextTemplate kWalltimeAbovePartition{
    "JOB_SPEC_WALLTIME_ABOVE_PARTITION",
    "walltime is {walltime}: partition \"{partition}\" allows at most {max}"};

inline constexpr TextTemplate kGpuTypeWithoutGpus{
    "JOB_SPEC_GPU_TYPE_WITHOUT_GPUS",
    "GPU type \"{type}\" is given for 0 GPUs: expected at least 1"};

inline constexpr TextTemplate kGpuTypeUnknown{
    "JOB_SPEC_GPU_TYPE_UNKNOWN",
    "GPU type \"{type}\" is not on this cluster: expected one of: {known}"};

inline constexpr TextTemplate kPartitionWithoutNodes{
    "JOB_SPEC_PARTITION_WITHOUT_NODES",
    "partition \"{partition}\" has no node for Carme's jobs: expected one that "
    "has"};

inline constexpr TextTemplate kReservationWithoutNodes{
    "JOB_SPEC_RESERVATION_WITHOUT_NODES",
    "reservation \"{reservation}\" has no node of partition \"{partition}\" "
    "for Carme's jobs: expected one that has"};

inline constexpr TextTemplate kAllNodesExcluded{
    "JOB_SPEC_ALL_NODES_EXCLUDED",
    "all nodes of partition \"{partition}\" that the job may use are excluded: "
    "exclude fewer nodes"};

inline constexpr TextTemplate kTooManyNodesNotUsable{
    "JOB_SPEC_TOO_MANY_NODES_NOT_USABLE",
    "the job must not run on {found} nodes, with those that are excluded: "
    "Slurm is given at most {max}"};

inline constexpr TextTemplate kPartitionWithoutOtherNodes{
    "JOB_SPEC_PARTITION_WITHOUT_OTHER_NODES",
    "partition \"{partition}\" has no node beside those of the job that it "
    "joins: expected one that has"};

inline constexpr TextTemplate kWalltimeNegative{
    "JOB_SPEC_WALLTIME_NEGATIVE",
    "walltime is negative: expected at least 1 min"};

inline constexpr TextTemplate kWalltimeTooLong{
    "JOB_SPEC_WALLTIME_TOO_LONG",
    "walltime is more than a year: expected at most 365 days"};

inline constexpr TextTemplate kWalltimeNotWholeMinutes{
    "JOB_SPEC_WALLTIME_NOT_WHOLE_MINUTES",
    "walltime is {walltime}: expected whole minutes"};

inline constexpr TextTemplate kProjectsUnavailable{
    "JOB_SPEC_PROJECTS_UNAVAILABLE",
    "projects cannot be looked up now: try again"};

inline constexpr TextTemplate kTextNotPrintable{
    "JOB_SPEC_TEXT_NOT_PRINTABLE",
    "{field} contains a non-printable character: expected at most {max} "
    "printable characters"};

inline constexpr TextTemplate kTextTooLong{
    "JOB_SPEC_TEXT_TOO_LONG",
    "{field} has {length} characters: expected at most {max} printable "
    "characters"};

inline constexpr TextTemplate kPartitionUnknown{
    "JOB_SPEC_PARTITION_UNKNOWN",
    "partition \"{partition}\" is not on this cluster: expected one of: "
    "{known}"};

inline constexpr TextTemplate kPartitionRequired{
    "JOB_SPEC_PARTITION_REQUIRED",
    "partition is not given and the cluster has no default: expected one of: "
    "{known}"};

inline constexpr TextTemplate kPartitionDrained{
    "JOB_SPEC_PARTITION_DRAINED",
    "partition \"{partition}\" is drained, it accepts no new jobs: expected "
    "one that is up"};

inline constexpr TextTemplate kPartitionInactive{
    "JOB_SPEC_PARTITION_INACTIVE",
    "partition \"{partition}\" is inactive, it accepts no jobs and starts "
    "none: expected one that is up"};

inline constexpr TextTemplate kPartitionDown{
    "JOB_SPEC_PARTITION_DOWN",
    "partition \"{partition}\" is down: expected one that is up"};

inline constexpr TextTemplate kBesideJoinedJob{
    "JOB_SPEC_BESIDE_JOINED_JOB",
    "{problem} beside those of the job that it joins"};

inline constexpr TextTemplate kInReservation{"JOB_SPEC_IN_RESERVATION",
                                             "{problem} in its reservation"};

}  // namespace carme::backend::policy_messages

#endif  // CARME_BACKEND_POLICY_MESSAGES_H_
