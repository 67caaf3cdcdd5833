// The messages of a portal with several clusters (common/message.h).
#ifndef CARME_BACKEND_CLUSTERS_MESSAGES_H_
#define CARME_BACKEND_CLUSTERS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::cluster_messages {

// Assertions. The cause is one of the messages that follow.
inline constexpr ErrorTemplate kAssertionInvalid{
    absl::StatusCode::kUnauthenticated, "ASSERTION_INVALID",
    "the assertion is not accepted: {cause}"};
inline constexpr MessageTemplate kMalformed{"malformed"};
inline constexpr MessageTemplate kInvalidSignature{
    "not signed with the configured issuer_key"};
inline constexpr MessageTemplate kOtherAudience{
    "for the cluster \"{found}\", this is \"{cluster}\""};
inline constexpr MessageTemplate kExpired{"expired"};
inline constexpr MessageTemplate kFromFuture{
    "issued in the future; synchronize the clocks of both backends"};
inline constexpr MessageTemplate kTooLong{"valid for too long"};
inline constexpr MessageTemplate kSessionExpired{"its session has expired"};

inline constexpr ErrorTemplate kClusterUnknown{
    absl::StatusCode::kInvalidArgument, "CLUSTER_UNKNOWN",
    "cluster \"{cluster}\" is not configured at the identity backend"};

// Users at the backend of a further cluster.
inline constexpr ErrorTemplate kUserNotAllowed{
    absl::StatusCode::kPermissionDenied, "CLUSTER_USER_NOT_ALLOWED",
    "your account cannot use the cluster \"{cluster}\"; ask its "
    "administrators"};
inline constexpr ErrorTemplate kUserNotRecorded{
    absl::StatusCode::kUnavailable, "CLUSTER_USER_NOT_RECORDED",
    "your account could not be recorded at the cluster \"{cluster}\"; try "
    "again"};
inline constexpr ErrorTemplate kSessionReadOnly{
    absl::StatusCode::kFailedPrecondition, "CLUSTER_SESSION_READ_ONLY",
    "only the portal's identity backend changes sessions"};
inline constexpr ErrorTemplate kNoContact{
    absl::StatusCode::kUnavailable, "CLUSTER_NO_CONTACT",
    "apps of the cluster \"{cluster}\" cannot be opened now, because its "
    "backend has no connection to the portal's identity backend; try again"};

// Sections [cluster] and [identity].
inline constexpr MessageTemplate kConfigName{
    "\"{name}\": expected 1 to 64 letters, digits, \"_\", \"-\" and \".\""};
inline constexpr MessageTemplate kConfigNameRequired{
    "required with [identity] or [[identity.clusters]]"};
inline constexpr MessageTemplate kConfigNameRepeated{
    "\"{name}\" is the name of two clusters: expected a name for each"};
inline constexpr MessageTemplate kConfigCertificateName{
    "\"{name}\": expected NAME of carme://cluster/NAME, 1 to 63 of "
    "[a-z0-9.-]"};
inline constexpr MessageTemplate kConfigIssuerKey{
    "expected the issuer_key that the identity backend logs when it starts, 43 "
    "characters"};
inline constexpr MessageTemplate kConfigBoth{
    "this backend has an identity backend and cannot be one: delete "
    "[[identity.clusters]] or address"};

}  // namespace carme::backend::cluster_messages

#endif  // CARME_BACKEND_CLUSTERS_MESSAGES_H_
