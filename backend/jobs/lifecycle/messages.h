// The messages about active jobs: extensions, holds, limits, idle jobs and what
// ends a job (common/message.h).
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_MESSAGES_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_lifecycle_messages {

inline constexpr ErrorTemplate kNotRunning{
    absl::StatusCode::kFailedPrecondition, "JOB_NOT_RUNNING",
    "the job is not running"};
inline constexpr ErrorTemplate kNotWaiting{
    absl::StatusCode::kFailedPrecondition, "JOB_NOT_WAITING",
    "the job is not waiting in the queue"};

// Extensions.
inline constexpr ErrorTemplate kArrayNotExtended{
    absl::StatusCode::kFailedPrecondition, "JOB_EXTENSION_OF_ARRAY",
    "the job is an array: each task has its own walltime"};
inline constexpr ErrorTemplate kCopiesResults{
    absl::StatusCode::kFailedPrecondition, "JOB_EXTENSION_TOO_LATE",
    "the job is copying its results and ends afterwards"};
inline constexpr ErrorTemplate kTemplateUnavailable{
    absl::StatusCode::kUnavailable, "JOB_TEMPLATE_UNAVAILABLE",
    "the job's template cannot be looked up now: try again"};
inline constexpr ErrorTemplate kExtensionKeyUsed{
    absl::StatusCode::kAlreadyExists, "JOB_EXTENSION_KEY_USED",
    "the idempotency key was used for another extension: expected a new key"};
inline constexpr ErrorTemplate kExtensionInProgress{
    absl::StatusCode::kUnavailable, "JOB_EXTENSION_IN_PROGRESS",
    "another extension of the job is in progress: try again"};
inline constexpr ErrorTemplate kTooManyExtensions{
    absl::StatusCode::kResourceExhausted, "JOB_EXTENSION_LIMIT_REACHED",
    "the job was extended {extensions} times, which is the maximum"};
inline constexpr ErrorTemplate kExtensionNotRecorded{
    absl::StatusCode::kUnavailable, "JOB_EXTENSION_NOT_RECORDED",
    "the extension cannot be recorded now: try again"};
inline constexpr TextTemplate kNotExtended{
    "JOB_NOT_EXTENDED",
    "Your job \"{job}\" was not extended by {minutes} min: {cause}."};

// Limits.
inline constexpr TextTemplate kLargerAtSubmission{
    "JOB_LARGER_AT_SUBMISSION",
    "Slurm made your job \"{job}\" larger when it was submitted. It exceeds a "
    "limit: {limits}. It is not stopped for that."};
inline constexpr TextTemplate kExceedsLimit{
    "JOB_EXCEEDS_LIMIT",
    "Your job \"{job}\" was changed in Slurm and exceeds a limit: {limits}."};
inline constexpr TextTemplate kExceedsLimitCancelledIn{
    "JOB_EXCEEDS_LIMIT_CANCELLED_IN",
    "Your job \"{job}\" was changed in Slurm and exceeds a limit: {limits}. It "
    "is cancelled in {time} unless you change it back."};
inline constexpr TextTemplate kExceedsLimitCancelled{
    "JOB_EXCEEDS_LIMIT_CANCELLED",
    "Your job \"{job}\" was changed in Slurm and exceeds a limit: {limits}. It "
    "is cancelled."};
inline constexpr TextTemplate kExceedsLimitHeld{
    "JOB_EXCEEDS_LIMIT_HELD",
    "Your job \"{job}\" was changed in Slurm and exceeds a limit: {limits}. It "
    "is held: change it back, then release it."};
inline constexpr TextTemplate kExceededLimit{
    "JOB_EXCEEDED_LIMIT",
    "it was changed in Slurm and exceeded a limit: {limits}"};
inline constexpr TextTemplate kOtherAccount{
    "JOB_OTHER_ACCOUNT",
    "job is charged to account \"{account}\": expected \"{expected}\""};

// Idle jobs.
inline constexpr TextTemplate kIdleAndStopped{
    "JOB_IDLE_AND_STOPPED",
    "Job \"{job}\" has not been used for {idle}. It is stopped in {time} "
    "unless "
    "you use it or select Keep."};
inline constexpr TextTemplate kIdle{
    "JOB_IDLE",
    "Job \"{job}\" has not been used for {idle}. Other users are waiting for "
    "its resources: stop it when you do not need it."};
inline constexpr TextTemplate kStoppedIdle{
    "JOB_STOPPED_IDLE",
    "Job \"{job}\" was stopped: it was not used for {idle}."};
inline constexpr TextTemplate kIdleReason{
    "JOB_IDLE_REASON", "stopped: it was not used for {idle}"};

// Jobs with idle GPUs; {gpus} is "n1: 0, 1; n2: 0, 1".
inline constexpr TextTemplate kGpusIdleAndStopped{
    "JOB_GPUS_IDLE_AND_STOPPED",
    "The GPUs of job \"{job}\" have been idle for {idle} ({gpus}). The job is "
    "stopped in {time} unless it uses a GPU or you select Keep."};
inline constexpr TextTemplate kGpusIdle{
    "JOB_GPUS_IDLE",
    "The GPUs of job \"{job}\" have been idle for {idle} ({gpus}). Other users "
    "are waiting for them: stop the job when you do not need them."};
inline constexpr TextTemplate kStoppedIdleGpus{
    "JOB_STOPPED_IDLE_GPUS",
    "Job \"{job}\" was stopped: its GPUs were idle for {idle} ({gpus})."};
inline constexpr TextTemplate kGpusIdleReason{
    "JOB_GPUS_IDLE_REASON",
    "stopped: its GPUs were idle since {since} ({gpus})"};
// {nodes} is "n2, n3".
inline constexpr TextTemplate kNodesIdleAndReturned{
    "JOB_NODES_IDLE_AND_RETURNED",
    "GPUs of job \"{job}\" have been idle for {idle} ({gpus}). The job "
    "continues without {nodes} in {time} unless it uses these GPUs or you "
    "select Keep."};
inline constexpr TextTemplate kNodesReturned{
    "JOB_NODES_RETURNED",
    "Job \"{job}\" continues without {nodes}, whose GPUs were idle for {idle} "
    "({gpus}): the nodes were returned to Slurm."};
inline constexpr TextTemplate kAndMoreNodes{"JOB_AND_MORE_NODES",
                                            "{nodes} and {more} more"};
inline constexpr TextTemplate kAndMoreGpus{"JOB_AND_MORE_GPUS",
                                           "{gpus} and {more} more"};

// Ends.
inline constexpr TextTemplate kEndsSoonExtendable{
    "JOB_ENDS_SOON_EXTENDABLE",
    "Job \"{job}\" ends in {time}: extend it, or save your work."};
inline constexpr TextTemplate kEndsSoon{
    "JOB_ENDS_SOON", "Job \"{job}\" ends in {time}: save your work."};
inline constexpr TextTemplate kStopKept{
    "JOB_STOP_KEPT",
    "Slurm does not respond: the job is stopped as soon as it does"};
inline constexpr TextTemplate kJoinedJobEnded{
    "JOB_JOINED_JOB_ENDED", "the job that it joined has ended"};
inline constexpr TextTemplate kQueriesAccounting{
    "JOB_QUERIES_ACCOUNTING",
    "Slurm has no record of it: querying the accounting"};

// Failures.
inline constexpr TextTemplate kLogNotOpened{
    "JOB_LOG_NOT_OPENED",
    "Its log could not be opened as you ({cause}): make the directory yours "
    "and writable, then start it again"};
inline constexpr TextTemplate kStorageFull{
    "JOB_STORAGE_FULL",
    "Your storage \"{storage}\" is full (\"{path}\"): delete files that you do "
    "not need, then start it again"};

}  // namespace carme::backend::job_lifecycle_messages

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_MESSAGES_H_
