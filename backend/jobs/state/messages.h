// The messages about the end of a job (common/message.h), as reasons on its
// card.
#ifndef CARME_BACKEND_JOBS_STATE_MESSAGES_H_
#define CARME_BACKEND_JOBS_STATE_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_state_messages {

// Jobs that only Slurm remembers.
inline constexpr ErrorTemplate kSettingsLost{
    absl::StatusCode::kFailedPrecondition, "JOB_SETTINGS_LOST_BY_RESTORE",
    "the portal was restored from a backup that is older than this job, and no "
    "longer has its settings: submit it again"};
inline constexpr MessageTemplate kFoundDescription{
    "The portal was restored from a backup that is older than this job. The "
    "job continues, but its app cannot be opened from the portal."};

// Jobs that Slurm does not have.
inline constexpr MessageTemplate kRemovedUnobserved{
    "Slurm removed the job before its end was observed"};
inline constexpr MessageTemplate kNotObserved{
    "it is not known whether Slurm had the job: it was not observed for longer "
    "than Slurm keeps ended jobs"};
inline constexpr MessageTemplate kStoppedUnsubmitted{
    "stopped before it was submitted to Slurm"};
inline constexpr MessageTemplate kNeverInSlurm{"Slurm never had the job"};

inline constexpr MessageTemplate kSuspended{"suspended by Slurm"};

// Arrays.
inline constexpr MessageTemplate kTasksFailed{
    "{tasks} of {total} tasks failed"};
inline constexpr MessageTemplate kTasksStopped{
    "{tasks} of {total} tasks were stopped"};
inline constexpr MessageTemplate kTasksRemoved{
    "{tasks} of {total} tasks were removed by Slurm before their end was "
    "observed"};
// Stored: its beginning is parsed again.
inline constexpr MessageTemplate kTaskFailure{"task {task}: {cause}"};

// Stopped jobs.
inline constexpr MessageTemplate kCancelledInSlurm{
    "it was cancelled in Slurm, not through Carme"};
inline constexpr MessageTemplate kSlurmCancelled{"Slurm cancelled it"};
inline constexpr MessageTemplate kAdministratorCancelled{
    "an administrator cancelled it"};
inline constexpr MessageTemplate kPreempted{
    "Slurm preempted it for another job: start it again"};

// Reasons of Slurm for a failure.
inline constexpr MessageTemplate kLaunchFailure{
    "Slurm could not start it on its nodes: start it again, and tell an "
    "administrator if that fails, too"};
// The beginning of the others: mostly the log could not be opened.
// failure_log.h looks for the cause.
inline constexpr MessageTemplate kLaunchFailureAlone{
    "Slurm could not start it on its nodes"};
inline constexpr MessageTemplate kLaunchFailureHeld{
    "Slurm could not start it on its nodes: tell an administrator"};
inline constexpr MessageTemplate kSlurmFailed{
    "Slurm itself failed: start it again"};
inline constexpr MessageTemplate kNodeDown{
    "one of its nodes went down: start it again"};
inline constexpr MessageTemplate kInactive{"nothing ran in it for too long"};
inline constexpr MessageTemplate kBadConstraints{
    "no node has what it requests"};
inline constexpr MessageTemplate kPartitionDown{"its partition went down"};
inline constexpr MessageTemplate kOutOfMemory{
    "it used more memory than it requested"};
inline constexpr MessageTemplate kOutOfMemoryOf{
    "it used more memory than the {memory} per node that it requested: request "
    "more next time"};
inline constexpr MessageTemplate kTimeLimit{"it reached its walltime"};
inline constexpr MessageTemplate kTimeLimitOf{
    "its walltime of {walltime} was reached: request more next time"};
inline constexpr MessageTemplate kDeadline{
    "it did not finish before its deadline"};
inline constexpr MessageTemplate kDependencyFailed{
    "the job that it depended on did not end as required"};
inline constexpr MessageTemplate kInvalidAccount{
    "its account in Slurm is not valid"};
inline constexpr MessageTemplate kInvalidQos{"its QOS in Slurm is not valid"};
inline constexpr MessageTemplate kReservationDeleted{
    "its reservation was deleted"};
inline constexpr MessageTemplate kBurstBufferFailed{"the burst buffer failed"};

// Nodes.
inline constexpr MessageTemplate kANodeFailed{
    "one of its nodes failed: start it again"};
inline constexpr MessageTemplate kNodeFailed{
    "node {node} failed: start it again"};
inline constexpr MessageTemplate kOneOfManyNodesFailed{
    "one of its {nodes} nodes failed: start it again"};
inline constexpr MessageTemplate kOneOfNodesFailed{
    "one of its nodes failed ({nodes}): start it again"};
inline constexpr MessageTemplate kBootFailed{
    "one of its nodes did not boot: start it again"};

// Exit codes.
inline constexpr MessageTemplate kExitCode{"ended with exit code {code}"};
inline constexpr MessageTemplate kExitCodeAndReason{
    "ended with exit code {code} ({reason})"};
inline constexpr MessageTemplate kKilledAfterStart{
    "it was killed after it had started (signal {signal})"};
inline constexpr MessageTemplate kNotExecutable{
    "ended with exit code {code}: a program could not be run"};
inline constexpr MessageTemplate kCommandNotFound{
    "ended with exit code {code}: a command was not found"};
inline constexpr MessageTemplate kAborted{
    "ended with exit code {code}: the program aborted (SIGABRT)"};
inline constexpr MessageTemplate kMemoryError{
    "ended with exit code {code}: the program crashed with a memory error"};
inline constexpr MessageTemplate kNumberError{
    "ended with exit code {code}: the program crashed: a number"};
inline constexpr MessageTemplate kKilled{
    "ended with exit code {code}: it was killed"};
inline constexpr MessageTemplate kTerminated{
    "ended with exit code {code}: it was asked to terminate"};
inline constexpr MessageTemplate kFileTooLarge{
    "ended with exit code {code}: a file became too large"};

// Entries of the history of a node.
inline constexpr MessageTemplate kNodeLostJob{
    "Slurm lost the node while the job ran"};
inline constexpr MessageTemplate kJobOutOfMemory{
    "the job used more memory than it requested"};
inline constexpr MessageTemplate kJobEndedBySignal{
    "signal {signal} ended the job"};

}  // namespace carme::backend::job_state_messages

#endif  // CARME_BACKEND_JOBS_STATE_MESSAGES_H_
