// The messages of the ports of carme-metrics (common/message.h).
#ifndef CARME_BACKEND_METRICS_SERVER_MESSAGES_H_
#define CARME_BACKEND_METRICS_SERVER_MESSAGES_H_

#include "common/message.h"

namespace carme::metrics::server_messages {

inline constexpr ErrorTemplate kNoCertificate{
    absl::StatusCode::kPermissionDenied, "METRICS_NO_CERTIFICATE",
    "certificate: {cause}"};
inline constexpr ErrorTemplate kNotTheFrontend{
    absl::StatusCode::kPermissionDenied, "METRICS_NOT_THE_FRONTEND",
    "certificate: expected that of the frontend"};
inline constexpr ErrorTemplate kNotReady{
    absl::StatusCode::kUnavailable, "METRICS_NOT_READY",
    "metrics cannot be shown yet: carme-metrics has not reached the backend "
    "since its start; try again later"};
inline constexpr ErrorTemplate kJobUnknown{
    absl::StatusCode::kNotFound, "METRICS_JOB_UNKNOWN",
    "no such job, or you may not see its metrics"};
inline constexpr ErrorTemplate kNotTheOwner{
    absl::StatusCode::kPermissionDenied, "METRICS_NOT_THE_OWNER",
    "only the owner of the job may mute its findings"};
inline constexpr ErrorTemplate kTooManyStreams{
    absl::StatusCode::kResourceExhausted, "METRICS_TOO_MANY_STREAMS",
    "too many pages show live metrics; try again later"};
inline constexpr ErrorTemplate kTooManySummaries{
    absl::StatusCode::kResourceExhausted, "METRICS_TOO_MANY_SUMMARIES",
    "too many summaries are being made; try again in a moment"};
inline constexpr ErrorTemplate kTooManyExports{
    absl::StatusCode::kResourceExhausted, "METRICS_TOO_MANY_EXPORTS",
    "too many exports are being made; try again in a moment"};
inline constexpr ErrorTemplate kTooManySampleStreams{
    absl::StatusCode::kResourceExhausted, "METRICS_TOO_MANY_SAMPLE_STREAMS",
    "too many streams of samples are open; send later"};
inline constexpr ErrorTemplate kSampleStreamIdle{
    absl::StatusCode::kAborted, "METRICS_SAMPLE_STREAM_IDLE",
    "no samples came on the stream for a long time; open another one"};
inline constexpr ErrorTemplate kIdsInvalid{
    absl::StatusCode::kInvalidArgument, "METRICS_IDS_INVALID",
    "jobIds: expected 1 to {max} ids of jobs"};
inline constexpr ErrorTemplate kNotStarted{absl::StatusCode::kUnavailable,
                                           "METRICS_PORT_NOT_STARTED",
                                           "the port for {port} cannot start"};

// Why a certificate is not accepted.
inline constexpr MessageTemplate kNone{"none was shown"};
inline constexpr MessageTemplate kExpired{"it has expired"};

}  // namespace carme::metrics::server_messages

#endif  // CARME_BACKEND_METRICS_SERVER_MESSAGES_H_
