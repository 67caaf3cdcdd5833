// The messages about the operations on jobs (common/message.h).
#ifndef CARME_BACKEND_JOBS_MESSAGES_H_
#define CARME_BACKEND_JOBS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_messages {

// Also the answer for a job of another user.
inline constexpr ErrorTemplate kNotYours{
    absl::StatusCode::kNotFound, "JOB_NOT_YOURS", "you have no such job"};
// For callers who may see the jobs of all users.
inline constexpr ErrorTemplate kNotFound{
    absl::StatusCode::kNotFound, "JOB_NOT_FOUND", "there is no such job"};
inline constexpr ErrorTemplate kJobsUnreadable{
    absl::StatusCode::kUnavailable, "JOB_LIST_UNREADABLE",
    "the jobs cannot be read now: try again"};
inline constexpr ErrorTemplate kJobUnreadable{
    absl::StatusCode::kUnavailable, "JOB_UNREADABLE",
    "the job cannot be read now: try again"};
inline constexpr ErrorTemplate kStopNotRecorded{
    absl::StatusCode::kUnavailable, "JOB_STOP_NOT_RECORDED",
    "the stop cannot be recorded now: try again"};
inline constexpr ErrorTemplate kProjectsUnavailable{
    absl::StatusCode::kUnavailable, "JOB_PROJECTS_UNAVAILABLE",
    "projects cannot be looked up now: try again"};
inline constexpr ErrorTemplate kHeldByAdministrator{
    absl::StatusCode::kPermissionDenied, "JOB_HELD_BY_ADMINISTRATOR",
    "the administrator {administrator} holds this job: {reason}. Ask them to "
    "release it"};

// Logs.
inline constexpr ErrorTemplate kNoTasks{
    absl::StatusCode::kInvalidArgument, "JOB_LOG_OF_NO_ARRAY",
    "the job is not an array: it has no tasks"};
inline constexpr ErrorTemplate kArrayHasNoApp{
    absl::StatusCode::kInvalidArgument, "JOB_LOG_OF_APP_OF_ARRAY",
    "an array has no app: choose a task"};
inline constexpr ErrorTemplate kChooseTask{
    absl::StatusCode::kNotFound, "JOB_LOG_TASK_REQUIRED",
    "each task of the array has its own log: choose the index of a task"};
inline constexpr ErrorTemplate kUnknownApp{absl::StatusCode::kInvalidArgument,
                                           "JOB_LOG_APP_UNKNOWN",
                                           "no such app is offered"};
inline constexpr ErrorTemplate kLogUnreadable{absl::StatusCode::kUnavailable,
                                              "JOB_LOG_UNREADABLE",
                                              "the log cannot be read now"};

// Operations of administrators.
inline constexpr ErrorTemplate kInvalidReason{
    absl::StatusCode::kInvalidArgument, "JOB_REASON_INVALID",
    "reason: expected 1 to {max} printable characters, which the owner reads"};
inline constexpr ErrorTemplate kHasEnded{absl::StatusCode::kFailedPrecondition,
                                         "JOB_HAS_ENDED", "the job has ended"};
inline constexpr ErrorTemplate kActionNotRecorded{
    absl::StatusCode::kUnavailable, "JOB_ACTION_NOT_RECORDED",
    "the action cannot be recorded now: try again"};

// Notifications of a job's owner.
inline constexpr TextTemplate kAdministratorStopped{
    "JOB_ADMINISTRATOR_STOPPED",
    "The administrator {administrator} stopped your job \"{job}\". Reason: "
    "{reason}"};
inline constexpr TextTemplate kAdministratorHolds{
    "JOB_ADMINISTRATOR_HOLDS",
    "The administrator {administrator} is holding your job \"{job}\". Reason: "
    "{reason}"};
inline constexpr TextTemplate kAdministratorReleased{
    "JOB_ADMINISTRATOR_RELEASED",
    "The administrator {administrator} released your job \"{job}\". Reason: "
    "{reason}"};
inline constexpr TextTemplate kAdministratorExtended{
    "JOB_ADMINISTRATOR_EXTENDED",
    "The administrator {administrator} extended your job \"{job}\". Reason: "
    "{reason}"};
inline constexpr TextTemplate kAdministratorReadLog{
    "JOB_ADMINISTRATOR_READ_LOG",
    "The administrator {administrator} read the log of your job \"{job}\". "
    "Reason: {reason}"};
inline constexpr TextTemplate kAdministratorChanged{
    "JOB_ADMINISTRATOR_CHANGED",
    "The administrator {administrator} changed your job \"{job}\". Reason: "
    "{reason}"};

// Copies of shared images.
inline constexpr TextTemplate kCopyDiffers{
    "JOB_COPY_DIFFERS", "the copy differs from the image that was approved"};
inline constexpr ErrorTemplate kImageHasOtherOwner{
    absl::StatusCode::kFailedPrecondition, "JOB_IMAGE_HAS_OTHER_OWNER",
    "user \"{user}\" no longer owns the image"};

// Jobs that are submitted again; {reason} is why the job ended.
inline constexpr TextTemplate kResubmitted{
    "JOB_RESUBMITTED", "{reason}. Submitted again as {job} without {nodes}"};
inline constexpr TextTemplate kNotResubmitted{
    "JOB_NOT_RESUBMITTED", "{reason}. Not submitted again: {cause}"};
inline constexpr TextTemplate kResubmittedNotification{
    "JOB_RESUBMITTED_NOTIFICATION",
    "Your job \"{job}\" was submitted again without {nodes}."};
inline constexpr TextTemplate kNotResubmittedNotification{
    "JOB_NOT_RESUBMITTED_NOTIFICATION",
    "Your job \"{job}\" was not submitted again: {cause}."};
inline constexpr ErrorTemplate kNoUnhealthyNode{
    absl::StatusCode::kFailedPrecondition, "JOB_WITHOUT_UNHEALTHY_NODE",
    "vetting reported no node that is not healthy"};
inline constexpr ErrorTemplate kResubmissionsUsed{
    absl::StatusCode::kFailedPrecondition, "JOB_RESUBMISSIONS_USED",
    "jobs are submitted again at most {max} times in a row"};
inline constexpr ErrorTemplate kOwnerRemoved{
    absl::StatusCode::kPermissionDenied, "JOB_OWNER_REMOVED",
    "user \"{user}\" may not start jobs"};

}  // namespace carme::backend::job_messages

#endif  // CARME_BACKEND_JOBS_MESSAGES_H_
