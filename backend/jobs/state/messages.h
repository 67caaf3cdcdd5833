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
inline constexpr TextTemplate kRemovedUnobserved{
    "JOB_REMOVED_UNOBSERVED",
    "Slurm removed the job before its end was observed"};
inline constexpr TextTemplate kNotObserved{
    "JOB_NOT_OBSERVED",
    "it is not known whether Slurm had the job: it was not observed for longer "
    "than Slurm keeps ended jobs"};
inline constexpr TextTemplate kStoppedUnsubmitted{
    "JOB_STOPPED_UNSUBMITTED", "stopped before it was submitted to Slurm"};
inline constexpr TextTemplate kNeverInSlurm{"JOB_NEVER_IN_SLURM",
                                            "Slurm never had the job"};

inline constexpr TextTemplate kSuspended{"JOB_SUSPENDED", "suspended by Slurm"};

// Arrays.
inline constexpr TextTemplate kTasksFailed{"JOB_TASKS_FAILED",
                                           "{tasks} of {total} tasks failed"};
inline constexpr TextTemplate kTasksStopped{
    "JOB_TASKS_STOPPED", "{tasks} of {total} tasks were stopped"};
inline constexpr TextTemplate kTasksRemoved{
    "JOB_TASKS_REMOVED",
    "{tasks} of {total} tasks were removed by Slurm before their end was "
    "observed"};
// Stored: its beginning is parsed again.
inline constexpr TextTemplate kTaskFailure{"JOB_TASK_FAILURE",
                                           "task {task}: {cause}"};

// Stopped jobs.
inline constexpr TextTemplate kCancelledInSlurm{
    "JOB_CANCELLED_IN_SLURM", "it was cancelled in Slurm, not through Carme"};
inline constexpr TextTemplate kSlurmCancelled{"JOB_SLURM_CANCELLED",
                                              "Slurm cancelled it"};
inline constexpr TextTemplate kAdministratorCancelled{
    "JOB_ADMINISTRATOR_CANCELLED", "an administrator cancelled it"};
inline constexpr TextTemplate kPreempted{
    "JOB_PREEMPTED", "Slurm preempted it for another job: start it again"};

// Reasons of Slurm for a failure.
inline constexpr TextTemplate kLaunchFailure{
    "JOB_LAUNCH_FAILURE",
    "Slurm could not start it on its nodes: start it again, and tell an "
    "administrator if that fails, too"};
// The beginning of the others: mostly the log could not be opened.
// failure_log.h looks for the cause.
inline constexpr TextTemplate kLaunchFailureAlone{
    "JOB_LAUNCH_FAILURE_ALONE", "Slurm could not start it on its nodes"};
inline constexpr TextTemplate kLaunchFailureHeld{
    "JOB_LAUNCH_FAILURE_HELD",
    "Slurm could not start it on its nodes: tell an administrator"};
inline constexpr TextTemplate kSlurmFailed{
    "JOB_SLURM_FAILED", "Slurm itself failed: start it again"};
inline constexpr TextTemplate kNodeDown{
    "JOB_NODE_DOWN", "one of its nodes went down: start it again"};
inline constexpr TextTemplate kInactive{"JOB_INACTIVE",
                                        "nothing ran in it for too long"};
inline constexpr TextTemplate kBadConstraints{"JOB_BAD_CONSTRAINTS",
                                              "no node has what it requests"};
inline constexpr TextTemplate kPartitionDown{"JOB_PARTITION_DOWN",
                                             "its partition went down"};
inline constexpr TextTemplate kOutOfMemory{
    "JOB_OUT_OF_MEMORY", "it used more memory than it requested"};
inline constexpr TextTemplate kOutOfMemoryOf{
    "JOB_OUT_OF_MEMORY_OF",
    "it used more memory than the {memory} per node that it requested: request "
    "more next time"};
inline constexpr TextTemplate kTimeLimit{"JOB_TIME_LIMIT",
                                         "it reached its walltime"};
inline constexpr TextTemplate kTimeLimitOf{
    "JOB_TIME_LIMIT_OF",
    "its walltime of {walltime} was reached: request more next time"};
inline constexpr TextTemplate kDeadline{
    "JOB_DEADLINE", "it did not finish before its deadline"};
inline constexpr TextTemplate kDependencyFailed{
    "JOB_DEPENDENCY_FAILED",
    "the job that it depended on did not end as required"};
inline constexpr TextTemplate kInvalidAccount{
    "JOB_INVALID_ACCOUNT", "its account in Slurm is not valid"};
inline constexpr TextTemplate kInvalidQos{"JOB_INVALID_QOS",
                                          "its QOS in Slurm is not valid"};
inline constexpr TextTemplate kReservationDeleted{
    "JOB_RESERVATION_DELETED", "its reservation was deleted"};
inline constexpr TextTemplate kBurstBufferFailed{"JOB_BURST_BUFFER_FAILED",
                                                 "the burst buffer failed"};

// Nodes.
inline constexpr TextTemplate kANodeFailed{
    "JOB_A_NODE_FAILED", "one of its nodes failed: start it again"};
inline constexpr TextTemplate kNodeFailed{"JOB_NODE_FAILED",
                                          "node {node} failed: start it again"};
inline constexpr TextTemplate kOneOfManyNodesFailed{
    "JOB_ONE_OF_MANY_NODES_FAILED",
    "one of its {nodes} nodes failed: start it again"};
inline constexpr TextTemplate kOneOfNodesFailed{
    "JOB_ONE_OF_NODES_FAILED",
    "one of its nodes failed ({nodes}): start it again"};
inline constexpr TextTemplate kBootFailed{
    "JOB_BOOT_FAILED", "one of its nodes did not boot: start it again"};

// Exit codes.
inline constexpr TextTemplate kExitCode{"JOB_EXIT_CODE",
                                        "ended with exit code {code}"};
inline constexpr TextTemplate kExitCodeAndReason{
    "JOB_EXIT_CODE_AND_REASON", "ended with exit code {code} ({reason})"};
inline constexpr TextTemplate kKilledAfterStart{
    "JOB_KILLED_AFTER_START",
    "it was killed after it had started (signal {signal})"};
inline constexpr TextTemplate kNotExecutable{
    "JOB_NOT_EXECUTABLE",
    "ended with exit code {code}: a program could not be run"};
inline constexpr TextTemplate kCommandNotFound{
    "JOB_COMMAND_NOT_FOUND",
    "ended with exit code {code}: a command was not found"};
inline constexpr TextTemplate kAborted{
    "JOB_ABORTED",
    "ended with exit code {code}: the program aborted (SIGABRT)"};
inline constexpr TextTemplate kMemoryError{
    "JOB_MEMORY_ERROR",
    "ended with exit code {code}: the program crashed with a memory error"};
inline constexpr TextTemplate kNumberError{
    "JOB_NUMBER_ERROR",
    "ended with exit code {code}: the program crashed: a number"};
inline constexpr TextTemplate kKilled{
    "JOB_KILLED", "ended with exit code {code}: it was killed"};
inline constexpr TextTemplate kTerminated{
    "JOB_TERMINATED", "ended with exit code {code}: it was asked to terminate"};
inline constexpr TextTemplate kFileTooLarge{
    "JOB_FILE_TOO_LARGE",
    "ended with exit code {code}: a file became too large"};

// Entries of the history of a node.
inline constexpr TextTemplate kNodeLostJob{
    "NODE_ENTRY_NODE_FAIL", "Slurm lost the node while the job ran"};
inline constexpr TextTemplate kJobOutOfMemory{
    "NODE_ENTRY_OUT_OF_MEMORY", "the job used more memory than it requested"};
inline constexpr TextTemplate kJobEndedBySignal{
    "NODE_ENTRY_SIGNAL", "signal {signal} ended the job"};

}  // namespace carme::backend::job_state_messages

#endif  // CARME_BACKEND_JOBS_STATE_MESSAGES_H_
