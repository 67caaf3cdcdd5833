// Errors of calls to one of several clusters.
#ifndef CARME_FRONTEND_CLUSTERS_MESSAGES_H_
#define CARME_FRONTEND_CLUSTERS_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::frontend::clusters_messages {

inline constexpr ErrorTemplate kOnlyOneCluster{
    absl::StatusCode::kInvalidArgument, "CLUSTERS_ONLY_ONE",
    "carme-cluster: this portal has one cluster; remove the header"};

inline constexpr ErrorTemplate kUnknownCluster{
    absl::StatusCode::kInvalidArgument, "CLUSTERS_UNKNOWN",
    "carme-cluster \"{name}\": expected one of: {known}"};

inline constexpr ErrorTemplate kAssertionInvalid{
    absl::StatusCode::kInternal, "CLUSTERS_ASSERTION_INVALID",
    "something went wrong inside Carme"};

inline constexpr ErrorTemplate kAssertionRefused{
    absl::StatusCode::kUnavailable, "CLUSTERS_ASSERTION_REFUSED",
    "cluster \"{cluster}\" does not accept your log-in; try again, or ask an "
    "administrator to compare the clocks and the identity settings of both "
    "backends"};

inline constexpr ErrorTemplate kUnreachable{
    absl::StatusCode::kUnavailable, "CLUSTERS_UNREACHABLE",
    "cluster \"{cluster}\" cannot be reached; try again later"};

inline constexpr ErrorTemplate kLate{
    absl::StatusCode::kDeadlineExceeded, "CLUSTERS_LATE",
    "cluster \"{cluster}\" did not answer in time; try again"};

inline constexpr ErrorTemplate kMetricsNotOffered{
    absl::StatusCode::kFailedPrecondition, "CLUSTERS_METRICS_NOT_OFFERED",
    "this portal has no metrics of jobs for this cluster"};

inline constexpr ErrorTemplate kMetricsUnreachable{
    absl::StatusCode::kUnavailable, "CLUSTERS_METRICS_UNREACHABLE",
    "metrics of jobs are not available now; try again later"};

inline constexpr ErrorTemplate kMetricsRefused{
    absl::StatusCode::kUnavailable, "CLUSTERS_METRICS_REFUSED",
    "carme-metrics does not accept your log-in; try again, or ask an "
    "administrator to compare the clocks of its host and the backend's"};

inline constexpr ErrorTemplate kPageTokenInvalid{
    absl::StatusCode::kInvalidArgument, "CLUSTERS_PAGE_TOKEN_INVALID",
    "pageToken: expected a token of this list"};

inline constexpr ErrorTemplate kSessionRefused{
    absl::StatusCode::kInternal, "CLUSTERS_SESSION_REFUSED",
    "cluster \"{cluster}\" returned an invalid response: a session"};

inline constexpr ErrorTemplate kAddressRefused{
    absl::StatusCode::kInternal, "CLUSTERS_ADDRESS_REFUSED",
    "cluster \"{cluster}\" returned an address that is not in its domain "
    "\"{domain}\"; ask an administrator to compare jobs_domain in "
    "frontend.toml and in the cluster's backend.toml"};

}  // namespace carme::frontend::clusters_messages

#endif  // CARME_FRONTEND_CLUSTERS_MESSAGES_H_
