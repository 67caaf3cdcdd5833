// The messages about why a job waits or failed (common/message.h), as reasons
// and advice on its card.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_MESSAGES_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_diagnosis_messages {

// Why a job waits, by the name of Slurm's reason.
inline constexpr TextTemplate kWaitsNone{"JOB_WAITS_NONE",
                                         "waiting for Slurm to schedule it"};
inline constexpr TextTemplate kWaitsResources{
    "JOB_WAITS_RESOURCES", "waiting for enough free resources"};
inline constexpr TextTemplate kWaitsPriority{
    "JOB_WAITS_PRIORITY", "other jobs are ahead in the queue"};
inline constexpr TextTemplate kWaitsDependency{"JOB_WAITS_DEPENDENCY",
                                               "waiting for another job"};
inline constexpr TextTemplate kWaitsDependencyNeverSatisfied{
    "JOB_WAITS_DEPENDENCY_NEVER_SATISFIED",
    "the job that it depends on did not end as required, so it never starts: "
    "stop it"};
inline constexpr TextTemplate kWaitsBeginTime{"JOB_WAITS_BEGIN_TIME",
                                              "waiting for its start time"};
inline constexpr TextTemplate kWaitsProlog{"JOB_WAITS_PROLOG",
                                           "a node is being prepared"};
inline constexpr TextTemplate kWaitsCleaning{
    "JOB_WAITS_CLEANING", "Slurm is cleaning up after an earlier attempt"};
inline constexpr TextTemplate kWaitsLicenses{"JOB_WAITS_LICENSES",
                                             "waiting for a free licence"};
inline constexpr TextTemplate kWaitsReservation{
    "JOB_WAITS_RESERVATION", "waiting for its reservation to begin"};
inline constexpr TextTemplate kWaitsReservationDeleted{
    "JOB_WAITS_RESERVATION_DELETED",
    "its reservation was deleted: stop it and start it without one"};
inline constexpr TextTemplate kWaitsReservationInvalid{
    "JOB_WAITS_RESERVATION_INVALID",
    "its reservation cannot be used: stop it and start it without one"};
inline constexpr TextTemplate kWaitsJobHeldUser{
    "JOB_WAITS_JOB_HELD_USER",
    "held by its user: it waits until it is released"};
inline constexpr TextTemplate kWaitsJobHeldAdmin{
    "JOB_WAITS_JOB_HELD_ADMIN",
    "held by an administrator, who alone can release it"};
inline constexpr TextTemplate kWaitsJobHoldMaxRequeue{
    "JOB_WAITS_JOB_HOLD_MAX_REQUEUE",
    "held by Slurm, it failed to start too often: tell an administrator"};
inline constexpr TextTemplate kWaitsLaunchFailedRequeuedHeld{
    "JOB_WAITS_LAUNCH_FAILED_REQUEUED_HELD",
    "held by Slurm, it failed to start: tell an administrator"};
inline constexpr TextTemplate kWaitsPartitionDown{"JOB_WAITS_PARTITION_DOWN",
                                                  "its partition is down"};
inline constexpr TextTemplate kWaitsPartitionInactive{
    "JOB_WAITS_PARTITION_INACTIVE", "its partition is inactive"};
inline constexpr TextTemplate kWaitsPartitionNodeLimit{
    "JOB_WAITS_PARTITION_NODE_LIMIT",
    "it requests more nodes than its partition allows: stop it and request "
    "less"};
inline constexpr TextTemplate kWaitsPartitionTimeLimit{
    "JOB_WAITS_PARTITION_TIME_LIMIT",
    "it requests more time than its partition allows: stop it and request "
    "less"};
inline constexpr TextTemplate kWaitsPartitionConfig{
    "JOB_WAITS_PARTITION_CONFIG",
    "its partition does not accept it: stop it and choose another"};
inline constexpr TextTemplate kWaitsNodeDown{"JOB_WAITS_NODE_DOWN",
                                             "a node it needs is down"};
inline constexpr TextTemplate kWaitsReqNodeNotAvail{
    "JOB_WAITS_REQ_NODE_NOT_AVAIL",
    "the nodes it could use are down or reserved"};
inline constexpr TextTemplate kWaitsNodesNotAvail{
    "JOB_WAITS_NODES_NOT_AVAIL", "the nodes it could use are down"};
inline constexpr TextTemplate kWaitsBadConstraints{
    "JOB_WAITS_BAD_CONSTRAINTS",
    "no node has what it requests: stop it and request something else"};
inline constexpr TextTemplate kWaitsConstraints{
    "JOB_WAITS_CONSTRAINTS", "no free node has what it requests"};
inline constexpr TextTemplate kWaitsMaxPoweredUpNodes{
    "JOB_WAITS_MAX_POWERED_UP_NODES",
    "the maximum number of nodes is powered up"};
inline constexpr TextTemplate kWaitsMpiPortsBusy{
    "JOB_WAITS_MPI_PORTS_BUSY",
    "waiting for free network ports for its MPI programs"};
inline constexpr TextTemplate kWaitsNvidiaImexChannels{
    "JOB_WAITS_NVIDIA_IMEX_CHANNELS", "waiting for a free NVIDIA IMEX channel"};
inline constexpr TextTemplate kWaitsAccountingPolicy{
    "JOB_WAITS_ACCOUNTING_POLICY",
    "a limit of its account in Slurm is reached"};
inline constexpr TextTemplate kWaitsAssociationJobLimit{
    "JOB_WAITS_ASSOCIATION_JOB_LIMIT",
    "your account runs the maximum number of jobs"};
inline constexpr TextTemplate kWaitsAssociationResourceLimit{
    "JOB_WAITS_ASSOCIATION_RESOURCE_LIMIT",
    "your account uses the maximum of its resources"};
inline constexpr TextTemplate kWaitsAssociationTimeLimit{
    "JOB_WAITS_ASSOCIATION_TIME_LIMIT",
    "the time budget of your account is used up"};
inline constexpr TextTemplate kWaitsQosJobLimit{
    "JOB_WAITS_QOS_JOB_LIMIT", "its QOS runs the maximum number of jobs"};
inline constexpr TextTemplate kWaitsQosResourceLimit{
    "JOB_WAITS_QOS_RESOURCE_LIMIT",
    "its QOS uses the maximum of its resources"};
inline constexpr TextTemplate kWaitsQosTimeLimit{
    "JOB_WAITS_QOS_TIME_LIMIT", "the time budget of its QOS is used up"};
inline constexpr TextTemplate kWaitsQosUsageThreshold{
    "JOB_WAITS_QOS_USAGE_THRESHOLD",
    "your account has used too much lately for its QOS: it starts later"};
inline constexpr TextTemplate kWaitsQosNotAllowed{
    "JOB_WAITS_QOS_NOT_ALLOWED",
    "its partition or account may not use its QOS"};
inline constexpr TextTemplate kWaitsAccountNotAllowed{
    "JOB_WAITS_ACCOUNT_NOT_ALLOWED", "its account may not use its partition"};
inline constexpr TextTemplate kWaitsInvalidAccount{
    "JOB_WAITS_INVALID_ACCOUNT", "its account in Slurm is not valid"};
inline constexpr TextTemplate kWaitsInvalidQos{"JOB_WAITS_INVALID_QOS",
                                               "its QOS in Slurm is not valid"};
inline constexpr TextTemplate kWaitsMaxMemPerLimit{
    "JOB_WAITS_MAX_MEM_PER_LIMIT",
    "it requests more memory than its partition gives: stop it and request "
    "less"};
inline constexpr TextTemplate kWaitsJobArrayTaskLimit{
    "JOB_WAITS_JOB_ARRAY_TASK_LIMIT",
    "the maximum number of tasks of its array is running"};
inline constexpr TextTemplate kWaitsSchedDefer{
    "JOB_WAITS_SCHED_DEFER", "Slurm is busy and schedules it later"};
inline constexpr TextTemplate kWaitsBurstBufferResources{
    "JOB_WAITS_BURST_BUFFER_RESOURCES", "waiting for room in the burst buffer"};
inline constexpr TextTemplate kWaitsBurstBufferStageIn{
    "JOB_WAITS_BURST_BUFFER_STAGE_IN",
    "its data is being copied to the burst buffer"};
inline constexpr TextTemplate kWaitsBurstBufferOperation{
    "JOB_WAITS_BURST_BUFFER_OPERATION",
    "the burst buffer failed: tell an administrator"};
inline constexpr TextTemplate kWaitsPowerNotAvail{
    "JOB_WAITS_POWER_NOT_AVAIL",
    "waiting until there is enough electric power"};
inline constexpr TextTemplate kWaitsBlockMaxError{
    "JOB_WAITS_BLOCK_MAX_ERROR", "too much hardware of its nodes is faulty"};
inline constexpr TextTemplate kWaitsBlockFreeAction{
    "JOB_WAITS_BLOCK_FREE_ACTION", "the nodes it needs are being freed"};
inline constexpr TextTemplate kWaitsFedJobLock{
    "JOB_WAITS_FED_JOB_LOCK", "another cluster of the federation schedules it"};
inline constexpr TextTemplate kWaitsSystemFailure{
    "JOB_WAITS_SYSTEM_FAILURE", "Slurm itself failed: tell an administrator"};
inline constexpr TextTemplate kWaitsJobLaunchFailure{
    "JOB_WAITS_JOB_LAUNCH_FAILURE", "Slurm could not start it on its nodes"};
inline constexpr TextTemplate kWaitsRaisedSignal{
    "JOB_WAITS_RAISED_SIGNAL",
    "a signal ended it and it was put back into the queue"};
inline constexpr TextTemplate kWaitsNonZeroExitCode{
    "JOB_WAITS_NON_ZERO_EXIT_CODE",
    "it failed and was put back into the queue"};
inline constexpr TextTemplate kWaitsTimeLimit{
    "JOB_WAITS_TIME_LIMIT",
    "it reached its walltime and was put back into the queue"};
inline constexpr TextTemplate kWaitsInactiveLimit{
    "JOB_WAITS_INACTIVE_LIMIT",
    "nothing ran in it and it was put back into the queue"};
inline constexpr TextTemplate kWaitsDeadLine{
    "JOB_WAITS_DEAD_LINE", "its deadline can no longer be met: stop it"};
inline constexpr TextTemplate kWaitsOutOfMemory{
    "JOB_WAITS_OUT_OF_MEMORY",
    "it ran out of memory and was put back into the queue"};

// Limits of an account or a QOS.
inline constexpr TextTemplate kAccountRequiresMore{
    "JOB_ACCOUNT_REQUIRES_MORE",
    "your account requires more {resource} than it requests: stop it and "
    "request more"};
inline constexpr TextTemplate kQosRequiresMore{
    "JOB_QOS_REQUIRES_MORE",
    "its QOS requires more {resource} than it requests: stop it and request "
    "more"};
inline constexpr TextTemplate kAccountReserved{
    "JOB_ACCOUNT_RESERVED",
    "the running jobs of all who share your account have reserved all its "
    "{resource}: it starts when some of them end"};
inline constexpr TextTemplate kQosReserved{
    "JOB_QOS_RESERVED",
    "the running jobs of all who share its QOS have reserved all its "
    "{resource}: it starts when some of them end"};
inline constexpr TextTemplate kAccountUsedUp{
    "JOB_ACCOUNT_USED_UP",
    "the {resource} that your account has are used up: an administrator can "
    "give more"};
inline constexpr TextTemplate kQosUsedUp{
    "JOB_QOS_USED_UP",
    "the {resource} that its QOS has are used up: an administrator can give "
    "more"};
inline constexpr TextTemplate kAccountShared{
    "JOB_ACCOUNT_SHARED",
    "all who share your account use the most {resource} it may have at once: "
    "it starts when jobs of them end"};
inline constexpr TextTemplate kQosShared{
    "JOB_QOS_SHARED",
    "all who share its QOS use the most {resource} it may have at once: it "
    "starts when jobs of them end"};
inline constexpr TextTemplate kAccountPerUser{
    "JOB_ACCOUNT_PER_USER",
    "you use the most {resource} that your account allows one user: it starts "
    "when another of your jobs ends"};
inline constexpr TextTemplate kQosPerUser{
    "JOB_QOS_PER_USER",
    "you use the most {resource} that its QOS allows one user: it starts when "
    "another of your jobs ends"};
inline constexpr TextTemplate kAccountPerNode{
    "JOB_ACCOUNT_PER_NODE",
    "it requests more {resource} than your account gives on one node: stop it "
    "and request less"};
inline constexpr TextTemplate kQosPerNode{
    "JOB_QOS_PER_NODE",
    "it requests more {resource} than its QOS gives on one node: stop it and "
    "request less"};
inline constexpr TextTemplate kAccountPerJob{
    "JOB_ACCOUNT_PER_JOB",
    "it requests more {resource} than your account gives to one job: stop it "
    "and request less"};
inline constexpr TextTemplate kQosPerJob{
    "JOB_QOS_PER_JOB",
    "it requests more {resource} than its QOS gives to one job: stop it and "
    "request less"};
inline constexpr TextTemplate kQosPerAccount{
    "JOB_QOS_PER_ACCOUNT",
    "your account uses the most {resource} that its QOS allows one account: it "
    "starts when another job of the account ends"};
inline constexpr TextTemplate kUnknownLimit{
    "JOB_UNKNOWN_LIMIT",
    "a limit of its account or QOS in Slurm is reached ({reason})"};
inline constexpr TextTemplate kUnknownReason{
    "JOB_UNKNOWN_REASON", "waiting: Slurm says \"{reason}\""};

// What is limited: at once, and over time.
inline constexpr TextTemplate kSubmittedJobs{"JOB_SUBMITTED_JOBS",
                                             "submitted jobs"};
inline constexpr TextTemplate kJobs{"JOB_JOBS", "jobs"};
inline constexpr TextTemplate kTime{"JOB_TIME", "time"};
inline constexpr TextTemplate kCpus{"JOB_CPUS", "CPUs"};
inline constexpr TextTemplate kCpuMinutes{"JOB_CPU_MINUTES", "CPU minutes"};
inline constexpr TextTemplate kMemory{"JOB_MEMORY", "memory"};
inline constexpr TextTemplate kMinutesOfMemory{"JOB_MINUTES_OF_MEMORY",
                                               "minutes of memory"};
inline constexpr TextTemplate kNodes{"JOB_NODES", "nodes"};
inline constexpr TextTemplate kNodeMinutes{"JOB_NODE_MINUTES", "node minutes"};
inline constexpr TextTemplate kGpus{"JOB_GPUS", "GPUs"};
inline constexpr TextTemplate kGpuMinutes{"JOB_GPU_MINUTES", "GPU minutes"};
inline constexpr TextTemplate kLicences{"JOB_LICENCES", "licences"};
inline constexpr TextTemplate kLicenceMinutes{"JOB_LICENCE_MINUTES",
                                              "licence minutes"};
inline constexpr TextTemplate kBurstBuffer{"JOB_BURST_BUFFER", "burst buffer"};
inline constexpr TextTemplate kMinutesOfBurstBuffer{
    "JOB_MINUTES_OF_BURST_BUFFER", "minutes of burst buffer"};
inline constexpr TextTemplate kEnergy{"JOB_ENERGY", "energy"};
inline constexpr TextTemplate kMinutesOfEnergy{"JOB_MINUTES_OF_ENERGY",
                                               "minutes of energy"};
inline constexpr TextTemplate kBillingUnits{"JOB_BILLING_UNITS",
                                            "billing units"};
inline constexpr TextTemplate kBillingMinutes{"JOB_BILLING_MINUTES",
                                              "billing minutes"};
inline constexpr TextTemplate kUnitsOfAResource{"JOB_UNITS_OF_A_RESOURCE",
                                                "units of a resource"};
inline constexpr TextTemplate kMinutesOfAResource{"JOB_MINUTES_OF_A_RESOURCE",
                                                  "minutes of a resource"};

// With numbers.
inline constexpr TextTemplate kWithReason{"JOB_WITH_REASON",
                                          "{sentence} ({reason})"};
inline constexpr TextTemplate kWithDetail{"JOB_WITH_DETAIL",
                                          "{sentence}: {detail}"};
inline constexpr TextTemplate kOneJobAhead{
    "JOB_ONE_JOB_AHEAD",
    "1 job is ahead in the queue of partition \"{partition}\""};
inline constexpr TextTemplate kJobsAhead{
    "JOB_JOBS_AHEAD",
    "{jobs} jobs are ahead in the queue of partition \"{partition}\""};
inline constexpr TextTemplate kAboutJobsAhead{
    "JOB_ABOUT_JOBS_AHEAD",
    "about {jobs} jobs are ahead in the queue of partition \"{partition}\""};
inline constexpr TextTemplate kReservationInHours{
    "JOB_RESERVATION_IN_HOURS",
    "waiting for its reservation to begin in {hours} h"};
inline constexpr TextTemplate kReservationInMinutes{
    "JOB_RESERVATION_IN_MINUTES",
    "waiting for its reservation to begin in {minutes} min at most"};
inline constexpr TextTemplate kWaitsForMaintenance{
    "JOB_WAITS_FOR_MAINTENANCE",
    "waiting until maintenance of its nodes has ended"};
inline constexpr TextTemplate kMaintenanceInHours{
    "JOB_MAINTENANCE_IN_HOURS",
    "its time limit reaches into maintenance, which begins in {hours} h: stop "
    "it and request less time, or wait until it has ended"};
inline constexpr TextTemplate kMaintenanceInMinutes{
    "JOB_MAINTENANCE_IN_MINUTES",
    "its time limit reaches into maintenance, which begins in {minutes} min at "
    "most: stop it and request less time, or wait until it has ended"};
inline constexpr TextTemplate kPartitionTime{
    "JOB_PARTITION_TIME",
    "it wants {minutes} min: partition \"{partition}\" gives at most {max} "
    "min: stop it and request less"};
inline constexpr TextTemplate kRequeuedOnce{
    "JOB_REQUEUED_ONCE",
    "{sentence}; Slurm has put it back into the queue 1 time"};
inline constexpr TextTemplate kRequeued{
    "JOB_REQUEUED",
    "{sentence}; Slurm has put it back into the queue {times} times"};
inline constexpr TextTemplate kBound{"JOB_BOUND",
                                     "{owner} has {amount} as its bound"};
inline constexpr TextTemplate kUsed{"JOB_USED",
                                    "{used} of {amount} are used in {owner}"};

// Advice about a job that failed.
inline constexpr TextTemplate kAdviceGpuMemoryFull{
    "JOB_ADVICE_GPU_MEMORY_FULL",
    "The memory of a GPU was full: use a smaller batch or model, or a GPU type "
    "with more memory. More memory per node does not help"};
inline constexpr TextTemplate kAdviceOtherGpuType{
    "JOB_ADVICE_OTHER_GPU_TYPE",
    "The program was built for another GPU type: choose another type, or an "
    "image that supports this one"};
inline constexpr TextTemplate kAdviceOldDriver{
    "JOB_ADVICE_OLD_DRIVER",
    "The image needs a newer GPU driver than the node has: choose an older "
    "image"};
inline constexpr TextTemplate kAdviceNoGpu{
    "JOB_ADVICE_NO_GPU",
    "The program found no GPU: request at least one per node"};
inline constexpr TextTemplate kAdviceSharedMemoryFull{
    "JOB_ADVICE_SHARED_MEMORY_FULL",
    "Shared memory was full: use fewer data loader workers"};
inline constexpr TextTemplate kAdviceImageTooLarge{
    "JOB_ADVICE_IMAGE_TOO_LARGE",
    "The image does not fit into the scratch directory of the job: ask an "
    "administrator for a directory for shared images"};
inline constexpr TextTemplate kAdviceFileSystemFull{
    "JOB_ADVICE_FILE_SYSTEM_FULL",
    "A file system was full: check your storage in the portal and delete files "
    "that you do not need"};
inline constexpr TextTemplate kAdviceQuotaExceeded{
    "JOB_ADVICE_QUOTA_EXCEEDED",
    "Your storage quota is exceeded: check your storage in the portal and "
    "delete files that you do not need"};
inline constexpr TextTemplate kAdviceNotAllocated{
    "JOB_ADVICE_NOT_ALLOCATED",
    "The program could not allocate memory: request more memory per node"};
inline constexpr TextTemplate kAdviceCommandNotFound{
    "JOB_ADVICE_COMMAND_NOT_FOUND",
    "A command was not found: check its name, or choose an image or "
    "environment that contains it"};
inline constexpr TextTemplate kAdviceTooManyFiles{
    "JOB_ADVICE_TOO_MANY_FILES",
    "The program had too many open files: use fewer data loader workers"};
inline constexpr TextTemplate kAdvicePermissionDenied{
    "JOB_ADVICE_PERMISSION_DENIED",
    "A file could not be read, written or executed: check the permissions of "
    "the file that is named"};
inline constexpr TextTemplate kAdviceFileNotFound{
    "JOB_ADVICE_FILE_NOT_FOUND",
    "A file was not found: check the path, and whether it exists in the image "
    "or on the node"};
inline constexpr TextTemplate kAdviceMoreMemory{
    "JOB_ADVICE_MORE_MEMORY",
    "Request more memory per node, or load less at once"};
inline constexpr TextTemplate kAdviceMoreMemoryThan{
    "JOB_ADVICE_MORE_MEMORY_THAN",
    "Request more memory per node, such as {memory_gib} GiB, or load less at "
    "once"};
inline constexpr TextTemplate kAdviceNoModule{
    "JOB_ADVICE_NO_MODULE",
    "Python has no module \"{module}\": install it for yourself, or choose an "
    "image or environment that contains it"};
inline constexpr TextTemplate kAdviceNotExecutable{
    "JOB_ADVICE_NOT_EXECUTABLE",
    "Check that the program is executable and was built for this processor "
    "architecture"};
inline constexpr TextTemplate kAdviceKilled{
    "JOB_ADVICE_KILLED",
    "It was killed, often because memory ran out: if you did not kill it "
    "yourself, request more memory per node"};
inline constexpr TextTemplate kAdviceCrashed{
    "JOB_ADVICE_CRASHED", "The program crashed: its log may show where"};
inline constexpr TextTemplate kAdviceLongerWalltime{
    "JOB_ADVICE_LONGER_WALLTIME",
    "Request a longer walltime, and let the program save checkpoints so that "
    "it can resume"};
inline constexpr TextTemplate kAdviceStartAgain{
    "JOB_ADVICE_START_AGAIN", "The job did not cause this: start it again"};

// Estimates of a start.
inline constexpr TextTemplate kNotEstimatedYet{
    "JOB_NOT_ESTIMATED_YET", "Slurm has not estimated its start time yet."};
inline constexpr TextTemplate kTooManyEstimates{
    "JOB_TOO_MANY_ESTIMATES",
    "Too many estimates were requested within a minute."};
inline constexpr TextTemplate kNotEstimated{
    "JOB_NOT_ESTIMATED", "Slurm could not estimate its start time."};
inline constexpr TextTemplate kCannotEstimate{
    "JOB_CANNOT_ESTIMATE", "Slurm cannot estimate its start time ({cause})."};
inline constexpr TextTemplate kCannotEstimateShort{
    "JOB_CANNOT_ESTIMATE_SHORT",
    "Slurm cannot estimate its start time: {shortage} ({cause})."};
inline constexpr TextTemplate kMixedGpus{
    "JOB_MIXED_GPUS",
    "These nodes have different GPUs ({types}): choose a GPU type to get the "
    "same on each."};

// Amounts of what Slurm limits.
inline constexpr TextTemplate kAmountOfJobs{"JOB_AMOUNT_OF_JOBS",
                                            "{amount} jobs"};
inline constexpr TextTemplate kAmountOfTime{"JOB_AMOUNT_OF_TIME",
                                            "{amount} min"};
inline constexpr TextTemplate kAmountOfMemoryGib{"JOB_AMOUNT_OF_MEMORY_GIB",
                                                 "{amount} GiB of memory"};
inline constexpr TextTemplate kAmountOfMemoryMib{"JOB_AMOUNT_OF_MEMORY_MIB",
                                                 "{amount} MiB of memory"};
inline constexpr TextTemplate kAmountOfMemoryMinutes{
    "JOB_AMOUNT_OF_MEMORY_MINUTES", "{amount} MiB minutes of memory"};
inline constexpr TextTemplate kAmountOfCpus{"JOB_AMOUNT_OF_CPUS",
                                            "{amount} CPUs"};
inline constexpr TextTemplate kAmountOfCpuMinutes{"JOB_AMOUNT_OF_CPU_MINUTES",
                                                  "{amount} CPU minutes"};
inline constexpr TextTemplate kAmountOfNodes{"JOB_AMOUNT_OF_NODES",
                                             "{amount} nodes"};
inline constexpr TextTemplate kAmountOfNodeMinutes{"JOB_AMOUNT_OF_NODE_MINUTES",
                                                   "{amount} node minutes"};
inline constexpr TextTemplate kAmountOfGpus{"JOB_AMOUNT_OF_GPUS",
                                            "{amount} GPUs"};
inline constexpr TextTemplate kAmountOfGpuMinutes{"JOB_AMOUNT_OF_GPU_MINUTES",
                                                  "{amount} GPU minutes"};
inline constexpr TextTemplate kAmountOfTypedGpus{"JOB_AMOUNT_OF_TYPED_GPUS",
                                                 "{amount} {type} GPUs"};
inline constexpr TextTemplate kAmountOfTypedGpuMinutes{
    "JOB_AMOUNT_OF_TYPED_GPU_MINUTES", "{amount} {type} GPU minutes"};
inline constexpr TextTemplate kAmountOfBillingUnits{
    "JOB_AMOUNT_OF_BILLING_UNITS", "{amount} billing units"};
inline constexpr TextTemplate kAmountOfBillingMinutes{
    "JOB_AMOUNT_OF_BILLING_MINUTES", "{amount} billing unit minutes"};
inline constexpr TextTemplate kAmountOfEnergy{"JOB_AMOUNT_OF_ENERGY",
                                              "{amount} joules"};
inline constexpr TextTemplate kAmountOfEnergyMinutes{
    "JOB_AMOUNT_OF_ENERGY_MINUTES", "{amount} joule minutes"};
inline constexpr TextTemplate kAmountOfTres{"JOB_AMOUNT_OF_TRES",
                                            "{amount} units of {tres}"};
inline constexpr TextTemplate kAmountOfTresMinutes{
    "JOB_AMOUNT_OF_TRES_MINUTES", "{amount} minutes of {tres}"};
inline constexpr TextTemplate kOwnerAccount{"JOB_OWNER_ACCOUNT",
                                            "account {account}"};
inline constexpr TextTemplate kOwnerPart{"JOB_OWNER_PART",
                                         "your part of account {account}"};

// Estimates of a start, put together from the inside: when and where, why not
// sooner, and notes.
inline constexpr TextTemplate kStartsNow{"JOB_ESTIMATE_STARTS_NOW",
                                         "Starts now."};
inline constexpr TextTemplate kStartsNowOn{"JOB_ESTIMATE_STARTS_NOW_ON",
                                           "Starts now on {nodes}."};
inline constexpr TextTemplate kStartsIn{"JOB_ESTIMATE_STARTS_IN",
                                        "Starts in about {time}"};
inline constexpr TextTemplate kStartsInOn{"JOB_ESTIMATE_STARTS_IN_ON",
                                          "Starts in about {time} on {nodes}"};
inline constexpr TextTemplate kManyNodes{"JOB_ESTIMATE_MANY_NODES",
                                         "{nodes} nodes"};
inline constexpr TextTemplate kShortNow{"JOB_ESTIMATE_SHORT_NOW",
                                        "{sentence}: {shortage} now"};
inline constexpr TextTemplate kOneJobWaits{"JOB_ESTIMATE_ONE_JOB_WAITS",
                                           "{sentence}; 1 job waits already"};
inline constexpr TextTemplate kJobsWait{"JOB_ESTIMATE_JOBS_WAIT",
                                        "{sentence}; {jobs} jobs wait already"};
inline constexpr TextTemplate kEndOfSentence{"JOB_ESTIMATE_END_OF_SENTENCE",
                                             "{sentence}."};
inline constexpr TextTemplate kFreeBehindOneJob{
    "JOB_ESTIMATE_FREE_BEHIND_ONE_JOB",
    "The resources are free now, behind 1 job that waits."};
inline constexpr TextTemplate kFreeBehindJobs{
    "JOB_ESTIMATE_FREE_BEHIND_JOBS",
    "The resources are free now, behind {jobs} jobs that wait."};
inline constexpr TextTemplate kFreeOnBehindOneJob{
    "JOB_ESTIMATE_FREE_ON_BEHIND_ONE_JOB",
    "The resources are free now on {nodes}, behind 1 job that waits."};
inline constexpr TextTemplate kFreeOnBehindJobs{
    "JOB_ESTIMATE_FREE_ON_BEHIND_JOBS",
    "The resources are free now on {nodes}, behind {jobs} jobs that wait."};
inline constexpr TextTemplate kWithNote{"JOB_ESTIMATE_WITH_NOTE",
                                        "{sentence} {note}"};
inline constexpr TextTemplate kAlternativeOneGpu{
    "JOB_ALTERNATIVE_ONE_GPU", "With 1 GPU instead of {asked}"};
inline constexpr TextTemplate kAlternativeGpus{
    "JOB_ALTERNATIVE_GPUS", "With {gpus} GPUs instead of {asked}"};
inline constexpr TextTemplate kAlternativeOneNode{
    "JOB_ALTERNATIVE_ONE_NODE", "On 1 node instead of {asked}"};
inline constexpr TextTemplate kAlternativeNodes{
    "JOB_ALTERNATIVE_NODES", "On {nodes} nodes instead of {asked}"};
inline constexpr TextTemplate kAlternativeTime{"JOB_ALTERNATIVE_TIME",
                                               "For {time} instead of {asked}"};
inline constexpr TextTemplate kAlternativeStartsNow{
    "JOB_ALTERNATIVE_STARTS_NOW", "{alternative} it starts now."};
inline constexpr TextTemplate kAlternativeFreeNow{
    "JOB_ALTERNATIVE_FREE_NOW", "{alternative} the resources are free now."};
inline constexpr TextTemplate kAlternativeStartsIn{
    "JOB_ALTERNATIVE_STARTS_IN", "{alternative} it starts in about {time}."};

}  // namespace carme::backend::job_diagnosis_messages

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_MESSAGES_H_
