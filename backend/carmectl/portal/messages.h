// Errors of carmectl's calls of the portal, and of the files that it imports.
#ifndef CARME_BACKEND_CARMECTL_PORTAL_MESSAGES_H_
#define CARME_BACKEND_CARMECTL_PORTAL_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::carmectl::portal_messages {

inline constexpr ErrorTemplate kInvalidLine{absl::StatusCode::kInvalidArgument,
                                            "PORTAL_CLIENT_INVALID_LINE",
                                            "line {line}: {problem}"};

inline constexpr ErrorTemplate kTwoProjects{
    absl::StatusCode::kFailedPrecondition, "PORTAL_CLIENT_TWO_PROJECTS",
    "two projects have this name: use an id, \"{first}\" or \"{second}\""};

inline constexpr ErrorTemplate kNoTemplate{absl::StatusCode::kNotFound,
                                           "PORTAL_CLIENT_NO_TEMPLATE",
                                           "template not found"};

inline constexpr ErrorTemplate kUnknownLimit{
    absl::StatusCode::kInvalidArgument, "PORTAL_CLIENT_UNKNOWN_LIMIT",
    "unknown limit \"{text}\": expected gpus_per_job, gpus, nodes_per_job, "
    "nodes, jobs, queued_jobs, jobs_per_day, walltime, gpu_hours_per_day, "
    "gpu_hours_per_month or gpu_hours"};

inline constexpr ErrorTemplate kNoHeadings{absl::StatusCode::kInvalidArgument,
                                           "PORTAL_CLIENT_NO_HEADINGS",
                                           "the file has no line of headings"};

inline constexpr ErrorTemplate kPortalUnreachable{
    absl::StatusCode::kUnavailable, "PORTAL_CLIENT_PORTAL_UNREACHABLE",
    "\"{portal}\" cannot be reached: {cause}"};

inline constexpr ErrorTemplate kNotThePortal{
    absl::StatusCode::kUnavailable, "PORTAL_CLIENT_NOT_THE_PORTAL",
    "the portal returned HTTP {http_status} without an error of the API: is "
    "this the portal's address?"};

inline constexpr ErrorTemplate kNoPortal{
    absl::StatusCode::kInvalidArgument, "PORTAL_CLIENT_NO_PORTAL",
    "portal is \"{value}\": expected --portal or CARME_PORTAL with an https:// "
    "address"};

inline constexpr ErrorTemplate kNoToken{
    absl::StatusCode::kInvalidArgument, "PORTAL_CLIENT_NO_TOKEN",
    "no access token: expected --token-file, CARME_TOKEN_FILE or CARME_TOKEN "
    "with one that begins with \"carme_\""};

inline constexpr ErrorTemplate kInvalidCluster{
    absl::StatusCode::kInvalidArgument, "PORTAL_CLIENT_INVALID_CLUSTER",
    "invalid name of a cluster: expected letters, digits, \"_\", \"-\" and "
    "\".\" in --cluster or CARME_CLUSTER"};

inline constexpr ErrorTemplate kNotUtf8{absl::StatusCode::kInvalidArgument,
                                        "PORTAL_CLIENT_NOT_UTF8",
                                        "the request is not UTF-8"};

inline constexpr ErrorTemplate kOutputNotWritten{
    absl::StatusCode::kDataLoss, "PORTAL_CLIENT_OUTPUT_NOT_WRITTEN",
    "standard output cannot be written"};

inline constexpr ErrorTemplate kInvalidDuration{
    absl::StatusCode::kInvalidArgument, "PORTAL_CLIENT_INVALID_DURATION",
    "duration is \"{value}\": expected minutes, or a number with a unit such "
    "as \"2h\" or \"1d\""};

inline constexpr ErrorTemplate kInvalidTime{
    absl::StatusCode::kInvalidArgument, "PORTAL_CLIENT_INVALID_TIME",
    "time is \"{value}\": expected \"2026-12-31\" or \"2026-12-31T12:00:00Z\""};

inline constexpr ErrorTemplate kInvalidTimeOrDuration{
    absl::StatusCode::kInvalidArgument,
    "PORTAL_CLIENT_INVALID_TIME_OR_DURATION",
    "time is \"{value}\": expected \"2026-12-31T12:00:00Z\", \"2026-12-31\", "
    "or a duration from now such as \"4h\""};

}  // namespace carme::carmectl::portal_messages

#endif  // CARME_BACKEND_CARMECTL_PORTAL_MESSAGES_H_
