// The messages about why a job waits or failed (common/message.h), as reasons
// and advice on its card.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_MESSAGES_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_diagnosis_messages {

// Why a job waits, by the name of Slurm's reason.
inline constexpr MessageTemplate kWaitsNone{"waiting for Slurm to schedule it"};
inline constexpr MessageTemplate kWaitsResources{
    "waiting for enough free resources"};
inline constexpr MessageTemplate kWaitsPriority{
    "other jobs are ahead in the queue"};
inline constexpr MessageTemplate kWaitsDependency{"waiting for another job"};
inline constexpr MessageTemplate kWaitsDependencyNeverSatisfied{
    "the job that it depends on did not end as required, so it never starts: "
    "stop it"};
inline constexpr MessageTemplate kWaitsBeginTime{"waiting for its start time"};
inline constexpr MessageTemplate kWaitsProlog{"a node is being prepared"};
inline constexpr MessageTemplate kWaitsCleaning{
    "Slurm is cleaning up after an earlier attempt"};
inline constexpr MessageTemplate kWaitsLicenses{"waiting for a free licence"};
inline constexpr MessageTemplate kWaitsReservation{
    "waiting for its reservation to begin"};
inline constexpr MessageTemplate kWaitsReservationDeleted{
    "its reservation was deleted: stop it and start it without one"};
inline constexpr MessageTemplate kWaitsReservationInvalid{
    "its reservation cannot be used: stop it and start it without one"};
inline constexpr MessageTemplate kWaitsJobHeldUser{
    "held by its user: it waits until it is released"};
inline constexpr MessageTemplate kWaitsJobHeldAdmin{
    "held by an administrator, who alone can release it"};
inline constexpr MessageTemplate kWaitsJobHoldMaxRequeue{
    "held by Slurm, it failed to start too often: tell an administrator"};
inline constexpr MessageTemplate kWaitsLaunchFailedRequeuedHeld{
    "held by Slurm, it failed to start: tell an administrator"};
inline constexpr MessageTemplate kWaitsPartitionDown{"its partition is down"};
inline constexpr MessageTemplate kWaitsPartitionInactive{
    "its partition is inactive"};
inline constexpr MessageTemplate kWaitsPartitionNodeLimit{
    "it requests more nodes than its partition allows: stop it and request "
    "less"};
inline constexpr MessageTemplate kWaitsPartitionTimeLimit{
    "it requests more time than its partition allows: stop it and request "
    "less"};
inline constexpr MessageTemplate kWaitsPartitionConfig{
    "its partition does not accept it: stop it and choose another"};
inline constexpr MessageTemplate kWaitsNodeDown{"a node it needs is down"};
inline constexpr MessageTemplate kWaitsReqNodeNotAvail{
    "the nodes it could use are down or reserved"};
inline constexpr MessageTemplate kWaitsNodesNotAvail{
    "the nodes it could use are down"};
inline constexpr MessageTemplate kWaitsBadConstraints{
    "no node has what it requests: stop it and request something else"};
inline constexpr MessageTemplate kWaitsConstraints{
    "no free node has what it requests"};
inline constexpr MessageTemplate kWaitsMaxPoweredUpNodes{
    "the maximum number of nodes is powered up"};
inline constexpr MessageTemplate kWaitsMpiPortsBusy{
    "waiting for free network ports for its MPI programs"};
inline constexpr MessageTemplate kWaitsNvidiaImexChannels{
    "waiting for a free NVIDIA IMEX channel"};
inline constexpr MessageTemplate kWaitsAccountingPolicy{
    "a limit of its account in Slurm is reached"};
inline constexpr MessageTemplate kWaitsAssociationJobLimit{
    "your account runs the maximum number of jobs"};
inline constexpr MessageTemplate kWaitsAssociationResourceLimit{
    "your account uses the maximum of its resources"};
inline constexpr MessageTemplate kWaitsAssociationTimeLimit{
    "the time budget of your account is used up"};
inline constexpr MessageTemplate kWaitsQosJobLimit{
    "its QOS runs the maximum number of jobs"};
inline constexpr MessageTemplate kWaitsQosResourceLimit{
    "its QOS uses the maximum of its resources"};
inline constexpr MessageTemplate kWaitsQosTimeLimit{
    "the time budget of its QOS is used up"};
inline constexpr MessageTemplate kWaitsQosUsageThreshold{
    "your account has used too much lately for its QOS: it starts later"};
inline constexpr MessageTemplate kWaitsQosNotAllowed{
    "its partition or account may not use its QOS"};
inline constexpr MessageTemplate kWaitsAccountNotAllowed{
    "its account may not use its partition"};
inline constexpr MessageTemplate kWaitsInvalidAccount{
    "its account in Slurm is not valid"};
inline constexpr MessageTemplate kWaitsInvalidQos{
    "its QOS in Slurm is not valid"};
inline constexpr MessageTemplate kWaitsMaxMemPerLimit{
    "it requests more memory than its partition gives: stop it and request "
    "less"};
inline constexpr MessageTemplate kWaitsJobArrayTaskLimit{
    "the maximum number of tasks of its array is running"};
inline constexpr MessageTemplate kWaitsSchedDefer{
    "Slurm is busy and schedules it later"};
inline constexpr MessageTemplate kWaitsBurstBufferResources{
    "waiting for room in the burst buffer"};
inline constexpr MessageTemplate kWaitsBurstBufferStageIn{
    "its data is being copied to the burst buffer"};
inline constexpr MessageTemplate kWaitsBurstBufferOperation{
    "the burst buffer failed: tell an administrator"};
inline constexpr MessageTemplate kWaitsPowerNotAvail{
    "waiting until there is enough electric power"};
inline constexpr MessageTemplate kWaitsBlockMaxError{
    "too much hardware of its nodes is faulty"};
inline constexpr MessageTemplate kWaitsBlockFreeAction{
    "the nodes it needs are being freed"};
inline constexpr MessageTemplate kWaitsFedJobLock{
    "another cluster of the federation schedules it"};
inline constexpr MessageTemplate kWaitsSystemFailure{
    "Slurm itself failed: tell an administrator"};
inline constexpr MessageTemplate kWaitsJobLaunchFailure{
    "Slurm could not start it on its nodes"};
inline constexpr MessageTemplate kWaitsRaisedSignal{
    "a signal ended it and it was put back into the queue"};
inline constexpr MessageTemplate kWaitsNonZeroExitCode{
    "it failed and was put back into the queue"};
inline constexpr MessageTemplate kWaitsTimeLimit{
    "it reached its walltime and was put back into the queue"};
inline constexpr MessageTemplate kWaitsInactiveLimit{
    "nothing ran in it and it was put back into the queue"};
inline constexpr MessageTemplate kWaitsDeadLine{
    "its deadline can no longer be met: stop it"};
inline constexpr MessageTemplate kWaitsOutOfMemory{
    "it ran out of memory and was put back into the queue"};

// Limits of an account or a QOS.
inline constexpr MessageTemplate kAccountRequiresMore{
    "your account requires more {resource} than it requests: stop it and "
    "request more"};
inline constexpr MessageTemplate kQosRequiresMore{
    "its QOS requires more {resource} than it requests: stop it and request "
    "more"};
inline constexpr MessageTemplate kAccountReserved{
    "the running jobs of all who share your account have reserved all its "
    "{resource}: it starts when some of them end"};
inline constexpr MessageTemplate kQosReserved{
    "the running jobs of all who share its QOS have reserved all its "
    "{resource}: it starts when some of them end"};
inline constexpr MessageTemplate kAccountUsedUp{
    "the {resource} that your account has are used up: an administrator can "
    "give more"};
inline constexpr MessageTemplate kQosUsedUp{
    "the {resource} that its QOS has are used up: an administrator can give "
    "more"};
inline constexpr MessageTemplate kAccountShared{
    "all who share your account use the most {resource} it may have at once: "
    "it starts when jobs of them end"};
inline constexpr MessageTemplate kQosShared{
    "all who share its QOS use the most {resource} it may have at once: it "
    "starts when jobs of them end"};
inline constexpr MessageTemplate kAccountPerUser{
    "you use the most {resource} that your account allows one user: it starts "
    "when another of your jobs ends"};
inline constexpr MessageTemplate kQosPerUser{
    "you use the most {resource} that its QOS allows one user: it starts when "
    "another of your jobs ends"};
inline constexpr MessageTemplate kAccountPerNode{
    "it requests more {resource} than your account gives on one node: stop it "
    "and request less"};
inline constexpr MessageTemplate kQosPerNode{
    "it requests more {resource} than its QOS gives on one node: stop it and "
    "request less"};
inline constexpr MessageTemplate kAccountPerJob{
    "it requests more {resource} than your account gives to one job: stop it "
    "and request less"};
inline constexpr MessageTemplate kQosPerJob{
    "it requests more {resource} than its QOS gives to one job: stop it and "
    "request less"};
inline constexpr MessageTemplate kQosPerAccount{
    "your account uses the most {resource} that its QOS allows one account: it "
    "starts when another job of the account ends"};
inline constexpr MessageTemplate kUnknownLimit{
    "a limit of its account or QOS in Slurm is reached ({reason})"};
inline constexpr MessageTemplate kUnknownReason{
    "waiting: Slurm says \"{reason}\""};

// What is limited: at once, and over time.
inline constexpr MessageTemplate kSubmittedJobs{"submitted jobs"};
inline constexpr MessageTemplate kJobs{"jobs"};
inline constexpr MessageTemplate kTime{"time"};
inline constexpr MessageTemplate kCpus{"CPUs"};
inline constexpr MessageTemplate kCpuMinutes{"CPU minutes"};
inline constexpr MessageTemplate kMemory{"memory"};
inline constexpr MessageTemplate kMinutesOfMemory{"minutes of memory"};
inline constexpr MessageTemplate kNodes{"nodes"};
inline constexpr MessageTemplate kNodeMinutes{"node minutes"};
inline constexpr MessageTemplate kGpus{"GPUs"};
inline constexpr MessageTemplate kGpuMinutes{"GPU minutes"};
inline constexpr MessageTemplate kLicences{"licences"};
inline constexpr MessageTemplate kLicenceMinutes{"licence minutes"};
inline constexpr MessageTemplate kBurstBuffer{"burst buffer"};
inline constexpr MessageTemplate kMinutesOfBurstBuffer{
    "minutes of burst buffer"};
inline constexpr MessageTemplate kEnergy{"energy"};
inline constexpr MessageTemplate kMinutesOfEnergy{"minutes of energy"};
inline constexpr MessageTemplate kBillingUnits{"billing units"};
inline constexpr MessageTemplate kBillingMinutes{"billing minutes"};
inline constexpr MessageTemplate kUnitsOfAResource{"units of a resource"};
inline constexpr MessageTemplate kMinutesOfAResource{"minutes of a resource"};

// With numbers.
inline constexpr MessageTemplate kWithReason{"{sentence} ({reason})"};
inline constexpr MessageTemplate kWithDetail{"{sentence}: {detail}"};
inline constexpr MessageTemplate kOneJobAhead{
    "1 job is ahead in the queue of partition \"{partition}\""};
inline constexpr MessageTemplate kJobsAhead{
    "{jobs} jobs are ahead in the queue of partition \"{partition}\""};
inline constexpr MessageTemplate kAboutJobsAhead{
    "about {jobs} jobs are ahead in the queue of partition \"{partition}\""};
inline constexpr MessageTemplate kReservationInHours{
    "waiting for its reservation to begin in {hours} h"};
inline constexpr MessageTemplate kReservationInMinutes{
    "waiting for its reservation to begin in {minutes} min at most"};
inline constexpr MessageTemplate kWaitsForMaintenance{
    "waiting until maintenance of its nodes has ended"};
inline constexpr MessageTemplate kMaintenanceInHours{
    "its time limit reaches into maintenance, which begins in {hours} h: stop "
    "it and request less time, or wait until it has ended"};
inline constexpr MessageTemplate kMaintenanceInMinutes{
    "its time limit reaches into maintenance, which begins in {minutes} min at "
    "most: stop it and request less time, or wait until it has ended"};
inline constexpr MessageTemplate kPartitionTime{
    "it wants {minutes} min: partition \"{partition}\" gives at most {max} "
    "min: stop it and request less"};
inline constexpr MessageTemplate kRequeuedOnce{
    "{sentence}; Slurm has put it back into the queue 1 time"};
inline constexpr MessageTemplate kRequeued{
    "{sentence}; Slurm has put it back into the queue {times} times"};
inline constexpr MessageTemplate kBound{"{owner} has {amount} as its bound"};
inline constexpr MessageTemplate kUsed{
    "{used} of {amount} are used in {owner}"};

// Advice about a job that failed.
inline constexpr MessageTemplate kAdviceGpuMemoryFull{
    "The memory of a GPU was full: use a smaller batch or model, or a GPU type "
    "with more memory. More memory per node does not help"};
inline constexpr MessageTemplate kAdviceOtherGpuType{
    "The program was built for another GPU type: choose another type, or an "
    "image that supports this one"};
inline constexpr MessageTemplate kAdviceOldDriver{
    "The image needs a newer GPU driver than the node has: choose an older "
    "image"};
inline constexpr MessageTemplate kAdviceNoGpu{
    "The program found no GPU: request at least one per node"};
inline constexpr MessageTemplate kAdviceSharedMemoryFull{
    "Shared memory was full: use fewer data loader workers"};
inline constexpr MessageTemplate kAdviceImageTooLarge{
    "The image does not fit into the scratch directory of the job: ask an "
    "administrator for a directory for shared images"};
inline constexpr MessageTemplate kAdviceFileSystemFull{
    "A file system was full: check your storage in the portal and delete files "
    "that you do not need"};
inline constexpr MessageTemplate kAdviceQuotaExceeded{
    "Your storage quota is exceeded: check your storage in the portal and "
    "delete files that you do not need"};
inline constexpr MessageTemplate kAdviceNotAllocated{
    "The program could not allocate memory: request more memory per node"};
inline constexpr MessageTemplate kAdviceCommandNotFound{
    "A command was not found: check its name, or choose an image or "
    "environment that contains it"};
inline constexpr MessageTemplate kAdviceTooManyFiles{
    "The program had too many open files: use fewer data loader workers"};
inline constexpr MessageTemplate kAdvicePermissionDenied{
    "A file could not be read, written or executed: check the permissions of "
    "the file that is named"};
inline constexpr MessageTemplate kAdviceFileNotFound{
    "A file was not found: check the path, and whether it exists in the image "
    "or on the node"};
inline constexpr MessageTemplate kAdviceMoreMemory{
    "Request more memory per node, or load less at once"};
inline constexpr MessageTemplate kAdviceMoreMemoryThan{
    "Request more memory per node, such as {memory_gib} GiB, or load less at "
    "once"};
inline constexpr MessageTemplate kAdviceNoModule{
    "Python has no module \"{module}\": install it for yourself, or choose an "
    "image or environment that contains it"};
inline constexpr MessageTemplate kAdviceNotExecutable{
    "Check that the program is executable and was built for this processor "
    "architecture"};
inline constexpr MessageTemplate kAdviceKilled{
    "It was killed, often because memory ran out: if you did not kill it "
    "yourself, request more memory per node"};
inline constexpr MessageTemplate kAdviceCrashed{
    "The program crashed: its log may show where"};
inline constexpr MessageTemplate kAdviceLongerWalltime{
    "Request a longer walltime, and let the program save checkpoints so that "
    "it can resume"};
inline constexpr MessageTemplate kAdviceStartAgain{
    "The job did not cause this: start it again"};

// Estimates of a start.
inline constexpr MessageTemplate kNotEstimatedYet{
    "Slurm has not estimated its start time yet."};
inline constexpr MessageTemplate kTooManyEstimates{
    "Too many estimates were requested within a minute."};
inline constexpr MessageTemplate kNotEstimated{
    "Slurm could not estimate its start time."};
inline constexpr MessageTemplate kCannotEstimate{
    "Slurm cannot estimate its start time ({cause})."};
inline constexpr MessageTemplate kCannotEstimateShort{
    "Slurm cannot estimate its start time: {shortage} ({cause})."};
inline constexpr MessageTemplate kMixedGpus{
    "These nodes have different GPUs ({types}): choose a GPU type to get the "
    "same on each."};

}  // namespace carme::backend::job_diagnosis_messages

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_MESSAGES_H_
