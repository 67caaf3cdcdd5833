// The messages of the gRPC services (common/message.h), in the order of their
// source files.
#ifndef CARME_BACKEND_RPC_SERVICES_MESSAGES_H_
#define CARME_BACKEND_RPC_SERVICES_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::rpc_service_messages {

inline constexpr ErrorTemplate kAccountPasswordLength{
    absl::StatusCode::kInvalidArgument, "ACCOUNT_PASSWORD_LENGTH",
    "a password has {bytes} bytes: expected 1 to {max}"};

inline constexpr ErrorTemplate kAccountSessionNotFound{
    absl::StatusCode::kNotFound, "ACCOUNT_SESSION_NOT_FOUND",
    "you have no such session"};

inline constexpr ErrorTemplate kAccessTokenExpiryRequired{
    absl::StatusCode::kInvalidArgument, "ACCESS_TOKEN_EXPIRY_REQUIRED",
    "expiresAt is required"};

inline constexpr ErrorTemplate kAccountPasswordChangeNotOffered{
    absl::StatusCode::kFailedPrecondition,
    "ACCOUNT_PASSWORD_CHANGE_NOT_OFFERED",
    "passwords cannot be changed here; ask your administrators"};

inline constexpr ErrorTemplate kAccountOldPasswordWrong{
    absl::StatusCode::kInvalidArgument, "ACCOUNT_OLD_PASSWORD_WRONG",
    "the old password is wrong"};

inline constexpr ErrorTemplate kAccountPasswordChangeUncertain{
    absl::StatusCode::kUnavailable, "ACCOUNT_PASSWORD_CHANGE_UNCERTAIN",
    "the directory did not respond; one of the two passwords is valid now, so "
    "try both"};

inline constexpr ErrorTemplate kActivityReportInvalid{
    absl::StatusCode::kInvalidArgument, "ACTIVITY_REPORT_INVALID",
    "instance is invalid, or there are more than 1000 jobs"};

inline constexpr ErrorTemplate kAdminReasonInvalid{
    absl::StatusCode::kInvalidArgument, "ADMIN_REASON_INVALID",
    "expected a reason of 1 to {max} printable characters; the user can read "
    "it"};

inline constexpr ErrorTemplate kNodeCountInvalid{
    absl::StatusCode::kInvalidArgument, "ADMIN_NODE_COUNT_INVALID",
    "nodes: expected 1 to {max} names"};

inline constexpr ErrorTemplate kAdminOwnAccount{
    absl::StatusCode::kFailedPrecondition, "ADMIN_OWN_ACCOUNT",
    "this is your own account; ask another administrator"};

inline constexpr TextTemplate kFactorsRemovedByAdministrator{
    "FACTOR_NOTICE_FACTORS_REMOVED_BY_ADMINISTRATOR",
    "An administrator has removed your second factors: {reason}"};

inline constexpr ErrorTemplate kAgentJobStateInvalid{
    absl::StatusCode::kInvalidArgument, "AGENT_JOB_STATE_INVALID",
    "state is {state}: expected ENDED; for a linked job or batch job also "
    "READY"};

inline constexpr ErrorTemplate kAgentAppStateInvalid{
    absl::StatusCode::kInvalidArgument, "AGENT_APP_STATE_INVALID",
    "state is {state}: expected a state of an app"};

inline constexpr ErrorTemplate kAgentCredentialForAnotherCall{
    absl::StatusCode::kPermissionDenied, "AGENT_CREDENTIAL_FOR_ANOTHER_CALL",
    "the credential was created for another call"};

inline constexpr ErrorTemplate kAgentPortInvalid{
    absl::StatusCode::kInvalidArgument, "AGENT_PORT_INVALID",
    "port is {port}: expected {min} to {max}"};

inline constexpr ErrorTemplate kAgentAppUnknown{
    absl::StatusCode::kInvalidArgument, "AGENT_APP_UNKNOWN",
    "the job has no app \"{app}\""};

inline constexpr ErrorTemplate kAgentImageReportInvalid{
    absl::StatusCode::kInvalidArgument, "AGENT_IMAGE_REPORT_INVALID",
    "expected an absolute path, a digest and a size"};

inline constexpr ErrorTemplate kAgentImageExists{absl::StatusCode::kAborted,
                                                 "AGENT_IMAGE_EXISTS",
                                                 "the image already exists"};

inline constexpr MessageTemplate kAgentImagePathChanged{
    "the path was changed meanwhile: check it again"};

inline constexpr MessageTemplate kAgentImageDigestDiffers{
    "the file's SHA-256 is {found}: expected {expected}"};

inline constexpr ErrorTemplate kAgentNotAdmitted{
    absl::StatusCode::kPermissionDenied, "AGENT_NOT_ADMITTED",
    "not the agent of a running job; see the log of carme-backend"};

inline constexpr ErrorTemplate kAgentVerificationUnavailable{
    absl::StatusCode::kUnavailable, "AGENT_VERIFICATION_UNAVAILABLE",
    "the agent cannot be verified now; try again"};

inline constexpr ErrorTemplate kAuditReadersExhausted{
    absl::StatusCode::kResourceExhausted, "AUDIT_READERS_EXHAUSTED",
    "the audit log has {max} concurrent readers, the maximum: try again"};

inline constexpr ErrorTemplate kAuditLogUnavailable{
    absl::StatusCode::kUnavailable, "AUDIT_LOG_UNAVAILABLE",
    "the audit log cannot be read now; try again"};

inline constexpr ErrorTemplate kAuditCredentialEnded{
    absl::StatusCode::kUnauthenticated, "AUDIT_CREDENTIAL_ENDED",
    "the session has ended, or the access token was revoked"};

inline constexpr ErrorTemplate kAuthTooManyLogins{
    absl::StatusCode::kResourceExhausted, "AUTH_TOO_MANY_LOGINS",
    "too many concurrent logins; try again in a moment"};

inline constexpr ErrorTemplate kUtilizationHistoryUnavailable{
    absl::StatusCode::kUnavailable, "UTILIZATION_HISTORY_UNAVAILABLE",
    "the utilization history cannot be read now; try again"};

inline constexpr ErrorTemplate kFactorChallengeMismatch{
    absl::StatusCode::kInvalidArgument, "FACTOR_CHALLENGE_MISMATCH",
    "the response does not match the challenge; start again"};

inline constexpr ErrorTemplate kFactorStoreUnavailable{
    absl::StatusCode::kUnavailable, "FACTOR_STORE_UNAVAILABLE",
    "factors cannot be read now; try again"};

inline constexpr ErrorTemplate kFactorEnrollmentExpired{
    absl::StatusCode::kInvalidArgument, "FACTOR_ENROLLMENT_EXPIRED",
    "the enrollment has expired; start again"};

inline constexpr ErrorTemplate kFactorKindNotAllowed{
    absl::StatusCode::kPermissionDenied, "FACTOR_KIND_NOT_ALLOWED",
    "your account cannot enroll this kind of second factor"};

inline constexpr ErrorTemplate kFactorCodeMismatch{
    absl::StatusCode::kInvalidArgument, "FACTOR_CODE_MISMATCH",
    "the code does not match the new secret"};

inline constexpr ErrorTemplate kHistoryGroupingInvalid{
    absl::StatusCode::kInvalidArgument, "HISTORY_GROUPING_INVALID",
    "by: invalid value"};

inline constexpr ErrorTemplate kImageWithdrawnByAdministrator{
    absl::StatusCode::kFailedPrecondition, "IMAGE_WITHDRAWN_BY_ADMINISTRATOR",
    "an administrator has withdrawn this image; ask your administrators"};

inline constexpr ErrorTemplate kImageInUse{
    absl::StatusCode::kFailedPrecondition, "IMAGE_IN_USE",
    "jobs are using this image; try again when they have ended"};

inline constexpr ErrorTemplate kImageNotOfSite{
    absl::StatusCode::kFailedPrecondition, "IMAGE_NOT_OF_SITE",
    "image \"{image}\" is of user \"{owner}\": expected one of the site's"};

inline constexpr ErrorTemplate kImageCheckRunning{
    absl::StatusCode::kFailedPrecondition, "IMAGE_CHECK_RUNNING",
    "the file is already being checked"};

inline constexpr ErrorTemplate kImageShareTargetInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_SHARE_TARGET_INVALID",
    "set either group or project"};

inline constexpr ErrorTemplate kImageShareAccountDenied{
    absl::StatusCode::kPermissionDenied, "IMAGE_SHARE_ACCOUNT_DENIED",
    "the directory does not allow your account"};

inline constexpr ErrorTemplate kImageFileOfUserFixed{
    absl::StatusCode::kFailedPrecondition, "IMAGE_FILE_OF_USER_FIXED",
    "path, sha256 and sizeBytes cannot be changed for a user's image"};

inline constexpr ErrorTemplate kImageCheckNotFinished{
    absl::StatusCode::kFailedPrecondition, "IMAGE_CHECK_NOT_FINISHED",
    "the file is being checked; try again later"};

inline constexpr ErrorTemplate kImageNotReady{
    absl::StatusCode::kFailedPrecondition, "IMAGE_NOT_READY",
    "the image is not ready yet"};

inline constexpr ErrorTemplate kImageStateInvalid{
    absl::StatusCode::kInvalidArgument, "IMAGE_STATE_INVALID",
    "state: expected active, deprecated or withdrawn"};

inline constexpr ErrorTemplate kJobIdempotencyKeyInvalid{
    absl::StatusCode::kInvalidArgument, "JOB_IDEMPOTENCY_KEY_INVALID",
    "idempotencyKey has {bytes} bytes: expected at most {max} printable ASCII "
    "characters"};

inline constexpr ErrorTemplate kJobBuildsNotAllowed{
    absl::StatusCode::kInvalidArgument, "JOB_BUILDS_NOT_ALLOWED",
    "builds cannot be set; call ImageService.ImportImage"};

inline constexpr ErrorTemplate kJobSessionEnded{
    absl::StatusCode::kUnauthenticated, "JOB_SESSION_ENDED",
    "the session has ended: log in again"};

inline constexpr ErrorTemplate kJobTooManyWatchers{
    absl::StatusCode::kResourceExhausted, "JOB_TOO_MANY_WATCHERS",
    "too many open pages; close some of them"};

inline constexpr ErrorTemplate kJobOfAdditionalNodesHasNoApp{
    absl::StatusCode::kFailedPrecondition, "JOB_OF_ADDITIONAL_NODES_HAS_NO_APP",
    "this job adds nodes to another job and has no app; open the other job"};

inline constexpr ErrorTemplate kJobOfBatchHasNoApp{
    absl::StatusCode::kFailedPrecondition, "JOB_OF_BATCH_HAS_NO_APP",
    "batch jobs have no app to open"};

inline constexpr ErrorTemplate kJobOpenedAfterEnd{
    absl::StatusCode::kFailedPrecondition, "JOB_OPENED_AFTER_END",
    "the job has ended"};

inline constexpr ErrorTemplate kJobAppUnknown{
    absl::StatusCode::kFailedPrecondition, "JOB_APP_UNKNOWN",
    "unknown app; the job has: {apps}"};

inline constexpr ErrorTemplate kMaintenanceTimeInvalid{
    absl::StatusCode::kInvalidArgument, "MAINTENANCE_TIME_INVALID",
    "{field}: expected a time after 1970"};

inline constexpr ErrorTemplate kNotificationChannelInvalid{
    absl::StatusCode::kInvalidArgument, "NOTIFICATION_CHANNEL_INVALID",
    "channel is {channel}: expected CHANNEL_MAIL or CHANNEL_WEBHOOK"};

inline constexpr ErrorTemplate kNotificationKindInvalid{
    absl::StatusCode::kInvalidArgument, "NOTIFICATION_KIND_INVALID",
    "kinds has {kind}: expected one to be chosen"};

inline constexpr ErrorTemplate kNotificationChannelNotOffered{
    absl::StatusCode::kFailedPrecondition, "NOTIFICATION_CHANNEL_NOT_OFFERED",
    "this site does not offer this channel"};

inline constexpr ErrorTemplate kNotificationMarkReadInvalid{
    absl::StatusCode::kInvalidArgument, "NOTIFICATION_MARK_READ_INVALID",
    "ids has {entries} entries, up_to is {up_to}: expected at most {max}, and "
    "at least 0"};

inline constexpr ErrorTemplate kNotificationWebhookMissing{
    absl::StatusCode::kFailedPrecondition, "NOTIFICATION_WEBHOOK_MISSING",
    "you have no webhook"};

inline constexpr ErrorTemplate kReservationIdempotencyKeyInvalid{
    absl::StatusCode::kInvalidArgument, "RESERVATION_IDEMPOTENCY_KEY_INVALID",
    "idempotencyKey: expected at most {max} printable ASCII characters"};

inline constexpr ErrorTemplate kReservationStartRequired{
    absl::StatusCode::kInvalidArgument, "RESERVATION_START_REQUIRED",
    "startsAt is required"};

inline constexpr ErrorTemplate kReservationDurationInvalid{
    absl::StatusCode::kInvalidArgument, "RESERVATION_DURATION_INVALID",
    "duration must be between 1 minute and 1 year"};

inline constexpr ErrorTemplate kStorageUsageUnavailable{
    absl::StatusCode::kUnavailable, "STORAGE_USAGE_UNAVAILABLE",
    "your storage usage cannot be read now; try again"};

inline constexpr ErrorTemplate kTemplateListOfAllDenied{
    absl::StatusCode::kPermissionDenied, "TEMPLATE_LIST_OF_ALL_DENIED",
    "only support and administrators can list all templates"};

inline constexpr ErrorTemplate kTemplateProposalsUnavailable{
    absl::StatusCode::kUnavailable, "TEMPLATE_PROPOSALS_UNAVAILABLE",
    "Slurm has not responded since the start; try again"};

inline constexpr ErrorTemplate kAgentStreamReplaced{
    absl::StatusCode::kAborted, "AGENT_STREAM_REPLACED",
    "the job's agent has another stream"};

inline constexpr ErrorTemplate kAgentJobEnded{
    absl::StatusCode::kNotFound, "AGENT_JOB_ENDED", "the job has ended"};

inline constexpr ErrorTemplate kAgentTooManyConnecting{
    absl::StatusCode::kResourceExhausted, "AGENT_TOO_MANY_CONNECTING",
    "too many agents connect at once; try again"};

inline constexpr ErrorTemplate kTooManyLogEntries{
    absl::StatusCode::kInvalidArgument, "LOG_TOO_MANY_ENTRIES",
    "{entries} log entries in a request: expected at most {max}"};

inline constexpr ErrorTemplate kLogFilterTooLong{
    absl::StatusCode::kInvalidArgument, "LOG_FILTER_TOO_LONG",
    "a field of the filter is longer than {max} bytes"};

inline constexpr ErrorTemplate kLogTimeInvalid{
    absl::StatusCode::kInvalidArgument, "LOG_TIME_INVALID",
    "{field} is not a time after 1970"};

}  // namespace carme::backend::rpc_service_messages

#endif  // CARME_BACKEND_RPC_SERVICES_MESSAGES_H_
