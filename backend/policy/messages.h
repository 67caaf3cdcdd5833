// The messages about a job's app, image, size and partition
// (common/message.h).
#ifndef CARME_BACKEND_POLICY_MESSAGES_H_
#define CARME_BACKEND_POLICY_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::policy_messages {

inline constexpr MessageTemplate kAppNotOffered{
    "app \"{app}\" is not offered: expected one of: {offered}"};

inline constexpr MessageTemplate kImageNotOffered{
    "image \"{image}\" is not offered: expected one of: {offered}"};

inline constexpr MessageTemplate kImageNotOfTemplate{
    "image \"{image}\" is not offered by this template: expected one of: "
    "{offered}"};

inline constexpr MessageTemplate kImageWithAppNotOffered{
    "image \"{image}\" with app \"{app}\" is not offered: expected one of: "
    "{offered}"};

inline constexpr MessageTemplate kImageWithAppNotOfTemplate{
    "image \"{image}\" with app \"{app}\" is not offered by this template: "
    "expected one of: {offered}"};

inline constexpr MessageTemplate kEnvironmentImageOfAnotherUser{
    "environment \"{environment}\" has image \"{image}\" of user \"{owner}\": "
    "expected one of the site's, or your own"};

inline constexpr MessageTemplate kImageWithEnvironment{
    "image \"{image}\" cannot be combined with environment \"{environment}\": "
    "expected one of them"};

inline constexpr MessageTemplate kNodesForImageOfAnotherUser{
    "job requests {nodes} nodes: image \"{image}\" of user \"{owner}\" allows "
    "at most 1"};

inline constexpr MessageTemplate kSlurmUnavailable{
    "Slurm does not respond: try again later"};

inline constexpr MessageTemplate kNumberNegative{
    "{field} is {found}: expected at least 0"};

inline constexpr MessageTemplate kJoinedImageNotOffered{
    "image \"{image}\" of the job that it joins is not offered now"};

inline constexpr MessageTemplate kWalltimeAbovePartition{
    "walltime is {walltime}: partition \"{partition}\" allows at most {max}"};

inline constexpr MessageTemplate kGpuTypeWithoutGpus{
    "GPU type \"{type}\" is given for 0 GPUs: expected at least 1"};

inline constexpr MessageTemplate kGpuTypeUnknown{
    "GPU type \"{type}\" is not on this cluster: expected one of: {known}"};

inline constexpr MessageTemplate kPartitionWithoutNodes{
    "partition \"{partition}\" has no node for Carme's jobs: expected one that "
    "has"};

inline constexpr MessageTemplate kReservationWithoutNodes{
    "reservation \"{reservation}\" has no node of partition \"{partition}\" "
    "for Carme's jobs: expected one that has"};

inline constexpr MessageTemplate kPartitionWithoutOtherNodes{
    "partition \"{partition}\" has no node beside those of the job that it "
    "joins: expected one that has"};

inline constexpr MessageTemplate kWalltimeNegative{
    "walltime is negative: expected at least 1 min"};

inline constexpr MessageTemplate kWalltimeTooLong{
    "walltime is more than a year: expected at most 365 days"};

inline constexpr MessageTemplate kWalltimeNotWholeMinutes{
    "walltime is {walltime}: expected whole minutes"};

inline constexpr MessageTemplate kProjectsUnavailable{
    "projects cannot be looked up now: try again"};

inline constexpr MessageTemplate kTextNotPrintable{
    "{field} contains a non-printable character: expected at most {max} "
    "printable characters"};

inline constexpr MessageTemplate kTextTooLong{
    "{field} has {length} characters: expected at most {max} printable "
    "characters"};

inline constexpr MessageTemplate kPartitionUnknown{
    "partition \"{partition}\" is not on this cluster: expected one of: "
    "{known}"};

inline constexpr MessageTemplate kPartitionRequired{
    "partition is not given and the cluster has no default: expected one of: "
    "{known}"};

inline constexpr MessageTemplate kPartitionDrained{
    "partition \"{partition}\" is drained, it accepts no new jobs: expected "
    "one that is up"};

inline constexpr MessageTemplate kPartitionInactive{
    "partition \"{partition}\" is inactive, it accepts no jobs and starts "
    "none: expected one that is up"};

inline constexpr MessageTemplate kPartitionDown{
    "partition \"{partition}\" is down: expected one that is up"};

inline constexpr MessageTemplate kBesideJoinedJob{
    "{problem} beside those of the job that it joins"};

inline constexpr MessageTemplate kInReservation{"{problem} in its reservation"};

}  // namespace carme::backend::policy_messages

#endif  // CARME_BACKEND_POLICY_MESSAGES_H_
