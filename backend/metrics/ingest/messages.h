// The messages about samples of jobs (common/message.h).
#ifndef CARME_BACKEND_METRICS_INGEST_MESSAGES_H_
#define CARME_BACKEND_METRICS_INGEST_MESSAGES_H_

#include "common/message.h"

namespace carme::metrics::ingest_messages {

inline constexpr ErrorTemplate kOtherJob{
    absl::StatusCode::kPermissionDenied, "SAMPLES_OF_ANOTHER_JOB",
    "samples are of job \"{job}\": expected \"{expected}\", the job of the "
    "certificate"};
inline constexpr ErrorTemplate kJobEnded{absl::StatusCode::kPermissionDenied,
                                         "SAMPLES_OF_ENDED_JOB",
                                         "job \"{job}\" has ended"};
inline constexpr ErrorTemplate kNotAJob{
    absl::StatusCode::kPermissionDenied, "SAMPLES_WITHOUT_JOB_CERTIFICATE",
    "certificate: expected the certificate of a job's agent"};
inline constexpr ErrorTemplate kTooManySeries{
    absl::StatusCode::kInvalidArgument, "SAMPLES_TOO_MANY_SERIES",
    "request has more than {max} series"};
inline constexpr ErrorTemplate kTooManySamples{
    absl::StatusCode::kInvalidArgument, "SAMPLES_TOO_MANY",
    "request has more than {max} samples"};
inline constexpr ErrorTemplate kTooManyNodes{
    absl::StatusCode::kInvalidArgument, "SAMPLES_TOO_MANY_NODES",
    "request has more than {max} nodes"};
inline constexpr ErrorTemplate kTooManySources{
    absl::StatusCode::kInvalidArgument, "SAMPLES_TOO_MANY_SOURCES",
    "request has more than {max} sources"};
inline constexpr ErrorTemplate kTooManyEvents{
    absl::StatusCode::kInvalidArgument, "SAMPLES_TOO_MANY_EVENTS",
    "request has more than {max} events"};
inline constexpr ErrorTemplate kMalformed{
    absl::StatusCode::kInvalidArgument, "SAMPLES_MALFORMED",
    "request is not a WriteSamplesRequest"};
inline constexpr ErrorTemplate kInvalidNode{
    absl::StatusCode::kInvalidArgument, "SAMPLES_INVALID_NODE",
    "node {index}: expected the name of a node of Slurm"};
inline constexpr ErrorTemplate kRateExceeded{
    absl::StatusCode::kResourceExhausted, "SAMPLES_RATE_EXCEEDED",
    "the job sends more than {rate} samples a second; send later"};
inline constexpr ErrorTemplate kTooManyJobs{
    absl::StatusCode::kResourceExhausted, "SAMPLES_TOO_MANY_JOBS",
    "carme-metrics receives samples of {max} jobs; send later"};
inline constexpr ErrorTemplate kBusy{
    absl::StatusCode::kUnavailable, "SAMPLES_BUSY",
    "the database is busy with earlier samples; send again"};
inline constexpr ErrorTemplate kDatabaseAway{
    absl::StatusCode::kUnavailable, "SAMPLES_DATABASE_AWAY",
    "the database did not store the samples: {cause}; send again"};

// Why the database did not store samples.
inline constexpr MessageTemplate kNoResponse{"no response ({cause})"};
inline constexpr MessageTemplate kRefused{"it responded {status}: {text}"};
inline constexpr MessageTemplate kRecentFailure{"it failed a moment ago"};

}  // namespace carme::metrics::ingest_messages

#endif  // CARME_BACKEND_METRICS_INGEST_MESSAGES_H_
