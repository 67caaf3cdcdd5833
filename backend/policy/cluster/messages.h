// The messages about what the cluster provides (common/message.h).
#ifndef CARME_BACKEND_POLICY_CLUSTER_MESSAGES_H_
#define CARME_BACKEND_POLICY_CLUSTER_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::policy_cluster_messages {

inline constexpr MessageTemplate kReservationNotAvailable{
    "reservation \"{reservation}\" does not exist or is not available to you"};

inline constexpr MessageTemplate kReservationEndsTooSoon{
    "{source} ends too soon: choose one that lasts at least another minute"};

inline constexpr MessageTemplate kWalltimeAboveReservation{
    "walltime is {walltime}: {source} has {left} for it"};

inline constexpr MessageTemplate kTooFewNodesOfSize{
    "job requests {nodes} nodes of this size: partition \"{partition}\" has "
    "{fitting}"};

inline constexpr MessageTemplate kQosUnknownForJob{
    "Slurm has no QOS \"{qos}\": expected one of: {known}"};

inline constexpr MessageTemplate kQosNotAvailable{
    "QOS \"{qos}\" is not available to you in account \"{account}\": expected "
    "one of: {known}"};

inline constexpr MessageTemplate kAccountUnknown{
    "Slurm has no account \"{account}\""};

inline constexpr MessageTemplate kQosUnknown{"Slurm has no QOS \"{qos}\""};

inline constexpr MessageTemplate kPartitionUnknown{
    "partition \"{partition}\" is not on this cluster: expected one of: "
    "{known}"};

inline constexpr MessageTemplate kTooManyGpus{
    "job requests {wanted} GPUs on a node: the largest node of partition "
    "\"{partition}\" has {max}"};

inline constexpr MessageTemplate kTooManyGpusOfType{
    "job requests {wanted} GPUs of type \"{type}\" on a node: the largest node "
    "of partition \"{partition}\" has {max}"};

inline constexpr MessageTemplate kTooManyCpus{
    "job requests {wanted} CPUs on a node: the largest node of partition "
    "\"{partition}\" has {max}"};

inline constexpr MessageTemplate kTooMuchMemory{
    "job requests {wanted} MiB of memory on a node: the largest node of "
    "partition \"{partition}\" has {max}"};

// `component` is driver or cuda.
inline constexpr MessageTemplate kVersionTooOld{
    "nodes of partition \"{partition}\" with such GPUs have {component} "
    "{versions}: image \"{image}\" expects at least \"{needed}\""};

inline constexpr MessageTemplate kVersionTooOldOrUnknown{
    "nodes of partition \"{partition}\" with such GPUs have {component} "
    "{versions} or no {component} version in Slurm: image \"{image}\" expects "
    "at least \"{needed}\""};

inline constexpr MessageTemplate kVersionUnknown{
    "nodes of partition \"{partition}\" with such GPUs have no {component} "
    "version in Slurm: image \"{image}\" expects at least \"{needed}\""};

inline constexpr MessageTemplate kOtherVersions{"others"};

inline constexpr MessageTemplate kAccountUnknownForJob{
    "Slurm has no account \"{account}\": ask an administrator to change it"};

inline constexpr MessageTemplate kNoAssociation{
    "you have no association in Slurm: ask an administrator of the cluster for "
    "one"};

inline constexpr MessageTemplate kNoAssociationWithAccount{
    "you have no association with Slurm account \"{account}\": ask an "
    "administrator of the cluster for one"};

inline constexpr MessageTemplate kNoAssociationForPartition{
    "you have no association with Slurm account \"{account}\" for partition "
    "\"{partition}\": ask an administrator of the cluster for one"};

// What is free now, as a hint beside a job that waits.
inline constexpr MessageTemplate kOneGpuFree{"{free} of {total} GPUs is free"};

inline constexpr MessageTemplate kGpusFree{"{free} of {total} GPUs are free"};

inline constexpr MessageTemplate kOneGpuOfTypeFree{
    "{free} of {total} {type} GPUs is free"};

inline constexpr MessageTemplate kGpusOfTypeFree{
    "{free} of {total} {type} GPUs are free"};

inline constexpr MessageTemplate kOneCpuFree{"{free} of {total} CPUs is free"};

inline constexpr MessageTemplate kCpusFree{"{free} of {total} CPUs are free"};

inline constexpr MessageTemplate kOneGibFree{
    "{free} of {total} GiB of memory is free"};

inline constexpr MessageTemplate kGibFree{
    "{free} of {total} GiB of memory are free"};

inline constexpr MessageTemplate kFreeOnOneNode{
    "{supply}, at most {max} on a node"};

inline constexpr MessageTemplate kOneNodeFits{
    "1 node has all of it free together"};

inline constexpr MessageTemplate kNodesFit{
    "{nodes} nodes have all of it free together"};

inline constexpr MessageTemplate kOneNodeDown{
    "{supply}; {down} of {all} nodes is down"};

inline constexpr MessageTemplate kNodesDown{
    "{supply}; {down} of {all} nodes are down"};

}  // namespace carme::backend::policy_cluster_messages

#endif  // CARME_BACKEND_POLICY_CLUSTER_MESSAGES_H_
