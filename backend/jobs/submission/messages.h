// The messages about the submission of jobs (common/message.h). The policy has
// its own.
#ifndef CARME_BACKEND_JOBS_SUBMISSION_MESSAGES_H_
#define CARME_BACKEND_JOBS_SUBMISSION_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_submission_messages {

inline constexpr ErrorTemplate kProjectsNotOffered{
    absl::StatusCode::kFailedPrecondition, "JOB_PROJECTS_NOT_OFFERED",
    "projects are not offered here"};
inline constexpr ErrorTemplate kEnvironmentsNotOffered{
    absl::StatusCode::kInvalidArgument, "JOB_ENVIRONMENTS_NOT_OFFERED",
    "environments are not offered here"};
inline constexpr ErrorTemplate kNotRecorded{
    absl::StatusCode::kUnavailable, "JOB_NOT_RECORDED",
    "the job cannot be recorded now: try again"};
inline constexpr TextTemplate kLimitsUnknown{
    "JOB_LIMITS_UNKNOWN", "limits cannot be looked up now: try again"};
inline constexpr TextTemplate kWaitsForSlurm{"JOB_WAITS_FOR_SLURM",
                                             "waiting for Slurm to respond"};

}  // namespace carme::backend::job_submission_messages

#endif  // CARME_BACKEND_JOBS_SUBMISSION_MESSAGES_H_
