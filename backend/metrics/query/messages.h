// The messages about reading metrics of jobs (common/message.h).
#ifndef CARME_BACKEND_METRICS_QUERY_MESSAGES_H_
#define CARME_BACKEND_METRICS_QUERY_MESSAGES_H_

#include "common/message.h"

namespace carme::metrics::query_messages {

inline constexpr ErrorTemplate kPromqlRefused{
    absl::StatusCode::kInvalidArgument, "PROMQL_REFUSED",
    "query, character {at}: {cause}"};
inline constexpr MessageTemplate kExpected{"expected {what}"};
inline constexpr MessageTemplate kUnknownFunction{
    "function \"{name}\" is not offered"};
inline constexpr MessageTemplate kReservedLabel{"label \"{name}\" is reserved"};
inline constexpr MessageTemplate kTooDeep{"too many parentheses"};
inline constexpr MessageTemplate kTooLong{"the query is too long"};
inline constexpr MessageTemplate kDurationTooLong{
    "a duration may have at most {days}d"};
inline constexpr MessageTemplate kTooManySelectors{
    "a query may select series at most {max} times"};

inline constexpr ErrorTemplate kNoJobs{
    absl::StatusCode::kNotFound, "METRICS_NO_JOBS",
    "you have no jobs, so there are no metrics"};
inline constexpr ErrorTemplate kTimesInvalid{
    absl::StatusCode::kInvalidArgument, "METRICS_TIMES_INVALID",
    "expected a start before the end, and a step of at most {max} points"};
inline constexpr ErrorTemplate kTimeInvalid{absl::StatusCode::kInvalidArgument,
                                            "METRICS_TIME_INVALID",
                                            "time: expected a time after 1970"};
inline constexpr ErrorTemplate kRangeInvalid{
    absl::StatusCode::kInvalidArgument, "METRICS_RANGE_INVALID",
    "expected an end that is not before the start"};
inline constexpr ErrorTemplate kTooManyPoints{
    absl::StatusCode::kInvalidArgument, "METRICS_TOO_MANY_POINTS",
    "more than {max} points a series: ask for a larger step or less time"};
inline constexpr ErrorTemplate kMatchesInvalid{
    absl::StatusCode::kInvalidArgument, "METRICS_MATCHES_INVALID",
    "match[]: expected at most {max} selectors, of {bytes} bytes together"};
inline constexpr ErrorTemplate kLabelInvalid{
    absl::StatusCode::kInvalidArgument, "METRICS_LABEL_INVALID",
    "label: expected the name of a label, such as node"};
inline constexpr ErrorTemplate kKindInvalid{absl::StatusCode::kInvalidArgument,
                                            "METRICS_KIND_INVALID",
                                            "kind: expected what to ask for"};
inline constexpr ErrorTemplate kTooManyQueries{
    absl::StatusCode::kResourceExhausted, "METRICS_TOO_MANY_QUERIES",
    "too many queries at the same time; try again in a moment"};
inline constexpr ErrorTemplate kNamesInvalid{
    absl::StatusCode::kInvalidArgument, "METRICS_NAMES_INVALID",
    "names: expected at most {max} names of series"};
inline constexpr ErrorTemplate kFormatInvalid{
    absl::StatusCode::kInvalidArgument, "METRICS_FORMAT_INVALID",
    "format: expected CSV, GSSR_CSV, GSSR_SQLITE or CLUSTERCOCKPIT"};
inline constexpr ErrorTemplate kNothingToExport{
    absl::StatusCode::kNotFound, "METRICS_NOTHING_TO_EXPORT",
    "there are no samples of this job to export: {cause}"};

inline constexpr ErrorTemplate kExportBeforeEnd{
    absl::StatusCode::kFailedPrecondition, "METRICS_EXPORT_BEFORE_END",
    "ClusterCockpit's job archive is for jobs that have ended: export this job "
    "after its end, or as CSV"};
inline constexpr ErrorTemplate kExportNoNodes{
    absl::StatusCode::kFailedPrecondition, "METRICS_EXPORT_NO_NODES",
    "the record of this job has no nodes, which ClusterCockpit's job archive "
    "needs: export this job as CSV"};
inline constexpr ErrorTemplate kExportTooLarge{
    absl::StatusCode::kResourceExhausted, "METRICS_EXPORT_TOO_LARGE",
    "the files of this job have more than {mib} MiB, and cannot be exported"};
inline constexpr ErrorTemplate kExportNotWritten{
    absl::StatusCode::kUnavailable, "METRICS_EXPORT_NOT_WRITTEN",
    "the file cannot be written now ({cause}); try again later"};

inline constexpr ErrorTemplate kNoSuchRule{absl::StatusCode::kInvalidArgument,
                                           "METRICS_NO_SUCH_RULE",
                                           "rule: there is no rule \"{rule}\""};

inline constexpr ErrorTemplate kDatabaseUnreachable{
    absl::StatusCode::kUnavailable, "METRICS_DATABASE_UNREACHABLE",
    "the metrics database cannot be reached ({cause}); try again later"};
inline constexpr ErrorTemplate kDatabaseRefused{
    absl::StatusCode::kInvalidArgument, "METRICS_DATABASE_REFUSED",
    "the metrics database refuses the query: {cause}"};
inline constexpr ErrorTemplate kAnswerTooLarge{
    absl::StatusCode::kResourceExhausted, "METRICS_ANSWER_TOO_LARGE",
    "the answer is larger than {mib} MiB: ask for fewer series or a larger "
    "step"};

// Why a response has no samples.
inline constexpr MessageTemplate kNoSamples{
    "No samples of this job were received."};
inline constexpr MessageTemplate kNoGpuSamples{
    "No samples of GPUs of this job were received."};
inline constexpr MessageTemplate kDatabaseAway{
    "The metrics database cannot be reached. Try again later."};

}  // namespace carme::metrics::query_messages

#endif  // CARME_BACKEND_METRICS_QUERY_MESSAGES_H_
