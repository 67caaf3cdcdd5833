// The messages about what the cluster provides (common/message.h).
#ifndef CARME_BACKEND_POLICY_CLUSTER_MESSAGES_H_
#define CARME_BACKEND_POLICY_CLUSTER_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::policy_cluster_messages {

inline constexpr TextTemplate kReservationNotAvailable{
    "CLUSTER_RESERVATION_NOT_AVAILABLE",
    "reservation \"{reservation}\" does not exist or is not available to you"};

inline constexpr TextTemplate kReservationEndsTooSoon{
    "CLUSTER_RESERVATION_ENDS_TOO_SOON",
    "reservation {reservation} ends too soon: choose one that lasts at least "
    "another minute"};

inline constexpr TextTemplate kWalltimeAboveReservation{
    "CLUSTER_WALLTIME_ABOVE_RESERVATION",
    "walltime is {walltime}: reservation {reservation} has {left} for it"};

inline constexpr TextTemplate kTooFewNodesOfSize{
    "CLUSTER_TOO_FEW_NODES_OF_SIZE",
    "job requests {nodes} nodes of this size: partition \"{partition}\" has "
    "{fitting}"};

inline constexpr TextTemplate kQosUnknownForJob{
    "CLUSTER_QOS_UNKNOWN_FOR_JOB",
    "Slurm has no QOS \"{qos}\": expected one of: {known}"};

inline constexpr TextTemplate kQosNotAvailable{
    "CLUSTER_QOS_NOT_AVAILABLE",
    "QOS \"{qos}\" is not available to you in account \"{account}\": expected "
    "one of: {known}"};

inline constexpr TextTemplate kAccountUnknown{
    "CLUSTER_ACCOUNT_UNKNOWN", "Slurm has no account \"{account}\""};

inline constexpr TextTemplate kQosUnknown{"CLUSTER_QOS_UNKNOWN",
                                          "Slurm has no QOS \"{qos}\""};

inline constexpr TextTemplate kPartitionUnknown{
    "CLUSTER_PARTITION_UNKNOWN",
    "partition \"{partition}\" is not on this cluster: expected one of: "
    "{known}"};

inline constexpr TextTemplate kTooManyGpus{
    "CLUSTER_TOO_MANY_GPUS",
    "job requests {wanted} GPUs on a node: the largest node of partition "
    "\"{partition}\" has {max}"};

inline constexpr TextTemplate kTooManyGpusOfType{
    "CLUSTER_TOO_MANY_GPUS_OF_TYPE",
    "job requests {wanted} GPUs of type \"{type}\" on a node: the largest node "
    "of partition \"{partition}\" has {max}"};

inline constexpr TextTemplate kTooManyCpus{
    "CLUSTER_TOO_MANY_CPUS",
    "job requests {wanted} CPUs on a node: the largest node of partition "
    "\"{partition}\" has {max}"};

inline constexpr TextTemplate kTooMuchMemory{
    "CLUSTER_TOO_MUCH_MEMORY",
    "job requests {wanted} MiB of memory on a node: the largest node of "
    "partition \"{partition}\" has {max}"};

// `component` is driver or cuda.
inline constexpr TextTemplate kVersionTooOld{
    "CLUSTER_VERSION_TOO_OLD",
    "nodes of partition \"{partition}\" with such GPUs have {component} "
    "{versions}: image \"{image}\" expects at least \"{needed}\""};

inline constexpr TextTemplate kVersionTooOldOrUnknown{
    "CLUSTER_VERSION_TOO_OLD_OR_UNKNOWN",
    "nodes of partition \"{partition}\" with such GPUs have {component} "
    "{versions} or no {component} version in Slurm: image \"{image}\" expects "
    "at least \"{needed}\""};

inline constexpr TextTemplate kVersionUnknown{
    "CLUSTER_VERSION_UNKNOWN",
    "nodes of partition \"{partition}\" with such GPUs have no {component} "
    "version in Slurm: image \"{image}\" expects at least \"{needed}\""};

inline constexpr TextTemplate kAccountUnknownForJob{
    "CLUSTER_ACCOUNT_UNKNOWN_FOR_JOB",
    "Slurm has no account \"{account}\": ask an administrator to change it"};

inline constexpr TextTemplate kNoAssociation{
    "CLUSTER_NO_ASSOCIATION",
    "you have no association in Slurm: ask an administrator of the cluster for "
    "one"};

inline constexpr TextTemplate kNoAssociationWithAccount{
    "CLUSTER_NO_ASSOCIATION_WITH_ACCOUNT",
    "you have no association with Slurm account \"{account}\": ask an "
    "administrator of the cluster for one"};

inline constexpr TextTemplate kNoAssociationForPartition{
    "CLUSTER_NO_ASSOCIATION_FOR_PARTITION",
    "you have no association with Slurm account \"{account}\" for partition "
    "\"{partition}\": ask an administrator of the cluster for one"};

// What is free now, as a hint beside a job that waits.
inline constexpr TextTemplate kOneGpuFree{"CLUSTER_ONE_GPU_FREE",
                                          "{free} of {total} GPUs is free"};

inline constexpr TextTemplate kGpusFree{"CLUSTER_GPUS_FREE",
                                        "{free} of {total} GPUs are free"};

inline constexpr TextTemplate kOneGpuOfTypeFree{
    "CLUSTER_ONE_GPU_OF_TYPE_FREE", "{free} of {total} {type} GPUs is free"};

inline constexpr TextTemplate kGpusOfTypeFree{
    "CLUSTER_GPUS_OF_TYPE_FREE", "{free} of {total} {type} GPUs are free"};

inline constexpr TextTemplate kOneCpuFree{"CLUSTER_ONE_CPU_FREE",
                                          "{free} of {total} CPUs is free"};

inline constexpr TextTemplate kCpusFree{"CLUSTER_CPUS_FREE",
                                        "{free} of {total} CPUs are free"};

inline constexpr TextTemplate kOneGibFree{
    "CLUSTER_ONE_GIB_FREE", "{free} of {total} GiB of memory is free"};

inline constexpr TextTemplate kGibFree{
    "CLUSTER_GIB_FREE", "{free} of {total} GiB of memory are free"};

inline constexpr TextTemplate kFreeOnOneNode{
    "CLUSTER_FREE_ON_ONE_NODE", "{supply}, at most {max} on a node"};

inline constexpr TextTemplate kOneNodeFits{
    "CLUSTER_ONE_NODE_FITS", "1 node has all of it free together"};

inline constexpr TextTemplate kNodesFit{
    "CLUSTER_NODES_FIT", "{nodes} nodes have all of it free together"};

inline constexpr TextTemplate kOneNodeDown{
    "CLUSTER_ONE_NODE_DOWN", "{supply}; {down} of {all} nodes is down"};

inline constexpr TextTemplate kNodesDown{
    "CLUSTER_NODES_DOWN", "{supply}; {down} of {all} nodes are down"};

}  // namespace carme::backend::policy_cluster_messages

#endif  // CARME_BACKEND_POLICY_CLUSTER_MESSAGES_H_
