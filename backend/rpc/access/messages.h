// The messages of the access check (common/message.h). Clients read the
// reasons: docs/user/api.md lists them.
#ifndef CARME_BACKEND_RPC_ACCESS_MESSAGES_H_
#define CARME_BACKEND_RPC_ACCESS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::access_messages {

inline constexpr ErrorTemplate kSessionRequired{
    absl::StatusCode::kUnauthenticated, "SESSION_REQUIRED", "not logged in"};
inline constexpr ErrorTemplate kCredentialsAmbiguous{
    absl::StatusCode::kInvalidArgument, "CREDENTIALS_AMBIGUOUS",
    "send either a session or an access token, not both"};
// Several clusters: the identity backend, and the backend of a further one.
inline constexpr ErrorTemplate kAssertionNotAccepted{
    absl::StatusCode::kFailedPrecondition, "ASSERTION_NOT_ACCEPTED",
    "this backend authenticates users itself and accepts no assertions"};
inline constexpr ErrorTemplate kIdentityBackendRequired{
    absl::StatusCode::kFailedPrecondition, "IDENTITY_BACKEND_REQUIRED",
    "log-in is at the portal's identity backend; this backend accepts no "
    "sessions and no access tokens"};

inline constexpr ErrorTemplate kReauthenticationRequired{
    absl::StatusCode::kFailedPrecondition, "REAUTHENTICATION_REQUIRED",
    "confirm your second factor to continue"};

// One reason for all roles; the cause is one of the messages that follow.
inline constexpr ErrorTemplate kRoleRequired{
    absl::StatusCode::kPermissionDenied, "ROLE_REQUIRED", "{cause}"};
inline constexpr MessageTemplate kOnlySupport{
    "only support and administrators may do this"};
inline constexpr MessageTemplate kOnlyManagers{
    "only managers and administrators may do this"};
inline constexpr MessageTemplate kOnlyAdministrators{
    "only administrators may do this"};
inline constexpr MessageTemplate kNotForUsers{
    "this method is not available to users"};

inline constexpr ErrorTemplate kTokenNotAllowed{
    absl::StatusCode::kPermissionDenied, "ACCESS_TOKEN_NOT_ALLOWED",
    "no access token may do this"};
inline constexpr ErrorTemplate kScopeRequired{
    absl::StatusCode::kPermissionDenied, "SCOPE_REQUIRED",
    "this access token has the scopes \"{scopes}\": expected \"{scope}\" among "
    "them"};

inline constexpr ErrorTemplate kMachineNotAllowed{
    absl::StatusCode::kPermissionDenied, "MACHINE_NOT_ALLOWED",
    "this machine is not allowed to call this method"};
inline constexpr ErrorTemplate kMethodUnknown{
    absl::StatusCode::kPermissionDenied, "METHOD_UNKNOWN", "no such rpc"};
inline constexpr ErrorTemplate kMetadataKeyReserved{
    absl::StatusCode::kPermissionDenied, "METADATA_KEY_RESERVED",
    "the request contains a reserved metadata key"};

// Why the certificate of a machine is refused, for the audit log.
inline constexpr ErrorTemplate kNoCertificate{
    absl::StatusCode::kPermissionDenied, "ACCESS_NO_CERTIFICATE",
    "no certificate"};
inline constexpr ErrorTemplate kCertificateOfAnother{
    absl::StatusCode::kPermissionDenied, "ACCESS_CERTIFICATE_OF_ANOTHER",
    "certificate is of \"{uri}\": not one of ours"};
inline constexpr ErrorTemplate kCertificateRevoked{
    absl::StatusCode::kPermissionDenied, "ACCESS_CERTIFICATE_REVOKED",
    "certificate {serial} of {uri} is revoked"};
inline constexpr ErrorTemplate kCertificateExpired{
    absl::StatusCode::kPermissionDenied, "ACCESS_CERTIFICATE_EXPIRED",
    "certificate {serial} of {uri} has expired"};

// Results of calls that were let in.
inline constexpr ErrorTemplate kAuditEntryPending{
    absl::StatusCode::kUnavailable, "ACCESS_AUDIT_ENTRY_PENDING",
    "the change was made, but its audit entry could not be written yet; check "
    "the result before you try again"};
inline constexpr ErrorTemplate kUnavailable{
    absl::StatusCode::kUnavailable, "ACCESS_UNAVAILABLE",
    "{what} cannot be reached now; try again"};

}  // namespace carme::backend::access_messages

#endif  // CARME_BACKEND_RPC_ACCESS_MESSAGES_H_
