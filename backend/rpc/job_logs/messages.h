// The messages of JobLogService (common/message.h).
#ifndef CARME_BACKEND_RPC_JOB_LOGS_MESSAGES_H_
#define CARME_BACKEND_RPC_JOB_LOGS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::rpc_job_log_messages {

inline constexpr ErrorTemplate kSessionEnded{absl::StatusCode::kUnauthenticated,
                                             "JOB_LOG_SESSION_ENDED",
                                             "the session has ended"};
inline constexpr ErrorTemplate kTooManyOfUser{
    absl::StatusCode::kResourceExhausted, "JOB_LOG_TOO_MANY_OF_USER",
    "you follow {max} logs, the maximum: close some of them"};
inline constexpr ErrorTemplate kTooMany{
    absl::StatusCode::kResourceExhausted, "JOB_LOG_TOO_MANY",
    "too many logs are being followed; try again in a moment"};
inline constexpr ErrorTemplate kNotRead{
    absl::StatusCode::kUnavailable, "JOB_LOG_NOT_READ",
    "the log could not be read for a while: its file system may be slow"};

}  // namespace carme::backend::rpc_job_log_messages

#endif  // CARME_BACKEND_RPC_JOB_LOGS_MESSAGES_H_
