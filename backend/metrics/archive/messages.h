// The messages about archives of jobs' metrics (common/message.h).
#ifndef CARME_BACKEND_METRICS_ARCHIVE_MESSAGES_H_
#define CARME_BACKEND_METRICS_ARCHIVE_MESSAGES_H_

#include "common/message.h"

namespace carme::metrics::archive_messages {

inline constexpr ErrorTemplate kNotFound{absl::StatusCode::kNotFound,
                                         "METRICS_ARCHIVE_NOT_FOUND",
                                         "no archive of job \"{job}\""};
inline constexpr ErrorTemplate kCorrupt{
    absl::StatusCode::kDataLoss, "METRICS_ARCHIVE_CORRUPT",
    "the archive of job \"{job}\" is damaged: {cause}"};
inline constexpr ErrorTemplate kNewer{
    absl::StatusCode::kFailedPrecondition, "METRICS_ARCHIVE_NEWER",
    "the archive of job \"{job}\" was written by a newer carme-metrics "
    "(schema {schema}): update carme-metrics"};
inline constexpr ErrorTemplate kNoSeriesYet{
    absl::StatusCode::kUnavailable, "METRICS_ARCHIVE_NO_SERIES_YET",
    "the database shows no samples of job \"{job}\" yet"};
inline constexpr ErrorTemplate kTooLarge{
    absl::StatusCode::kResourceExhausted, "METRICS_ARCHIVE_TOO_LARGE",
    "the archive of job \"{job}\" is too long: expected fewer than {max} "
    "bytes"};

}  // namespace carme::metrics::archive_messages

#endif  // CARME_BACKEND_METRICS_ARCHIVE_MESSAGES_H_
