// The messages of MetricsAccessService and GpuUseService (common/message.h).
#ifndef CARME_BACKEND_RPC_METRICS_MESSAGES_H_
#define CARME_BACKEND_RPC_METRICS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::rpc_metrics_messages {

inline constexpr ErrorTemplate kSessionEnded{absl::StatusCode::kUnauthenticated,
                                             "METRICS_SESSION_ENDED",
                                             "the session has ended"};
inline constexpr ErrorTemplate kJobNotFound{
    absl::StatusCode::kNotFound, "METRICS_JOB_NOT_FOUND",
    "no such job, or you may not see its metrics"};
inline constexpr ErrorTemplate kTooManyJobs{
    absl::StatusCode::kInvalidArgument, "METRICS_TOO_MANY_JOBS",
    "expected at most {max} ids of jobs"};
inline constexpr ErrorTemplate kPersonUnknown{
    absl::StatusCode::kUnavailable, "METRICS_PERSON_UNKNOWN",
    "the directory cannot be asked who you are; try again"};

inline constexpr ErrorTemplate kTooManyFindings{
    absl::StatusCode::kInvalidArgument, "METRICS_TOO_MANY_FINDINGS",
    "the request has {findings} findings: expected at most {max}"};
inline constexpr ErrorTemplate kTooManyGpus{
    absl::StatusCode::kInvalidArgument, "METRICS_TOO_MANY_GPUS",
    "the request has {jobs} jobs with {gpus} GPUs: expected at most {max_jobs} "
    "with {max_gpus}"};

}  // namespace carme::backend::rpc_metrics_messages

#endif  // CARME_BACKEND_RPC_METRICS_MESSAGES_H_
