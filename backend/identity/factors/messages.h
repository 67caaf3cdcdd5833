// The messages about second factors (common/message.h). The login and
// reauthentication answer every UNAUTHENTICATED of these with one error of
// their own; its text is then for the audit log only.
#ifndef CARME_BACKEND_IDENTITY_FACTORS_MESSAGES_H_
#define CARME_BACKEND_IDENTITY_FACTORS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::factor_messages {

// Codes. One answer each: it does not reveal whether a code was right once.
inline constexpr ErrorTemplate kCodeInvalid{absl::StatusCode::kUnauthenticated,
                                            "FACTOR_CODE_INVALID",
                                            "wrong or used code"};
inline constexpr ErrorTemplate kRecoveryCodeInvalid{
    absl::StatusCode::kUnauthenticated, "FACTOR_RECOVERY_CODE_INVALID",
    "wrong or used recovery code"};

// What was sent.
inline constexpr ErrorTemplate kOneAnswerRequired{
    absl::StatusCode::kUnauthenticated, "FACTOR_ONE_ANSWER_REQUIRED",
    "expected exactly one of a code, a passkey and a recovery code"};
inline constexpr ErrorTemplate kNewPasskeyAtLogin{
    absl::StatusCode::kUnauthenticated, "FACTOR_NEW_PASSKEY_AT_LOGIN",
    "a new passkey cannot confirm a login"};
inline constexpr ErrorTemplate kNotOffered{
    absl::StatusCode::kUnauthenticated, "FACTOR_NOT_OFFERED",
    "this kind of factor was not offered"};
inline constexpr ErrorTemplate kEnrolledMeanwhile{
    absl::StatusCode::kUnauthenticated, "FACTOR_ENROLLED_MEANWHILE",
    "the account enrolled a factor meanwhile"};

// The factors of an account.
inline constexpr ErrorTemplate kNameInvalid{
    absl::StatusCode::kInvalidArgument, "FACTOR_NAME_INVALID",
    "a factor's name has 1 to {max} printable characters"};
inline constexpr ErrorTemplate kSecretEnrolled{
    absl::StatusCode::kAlreadyExists, "FACTOR_SECRET_ENROLLED",
    "this secret is already enrolled"};
inline constexpr ErrorTemplate kPasskeyEnrolled{
    absl::StatusCode::kAlreadyExists, "FACTOR_PASSKEY_ENROLLED",
    "this passkey is already enrolled"};
inline constexpr ErrorTemplate kTooMany{
    absl::StatusCode::kResourceExhausted, "FACTOR_TOO_MANY",
    "an account has at most {max} second factors: remove one first"};
inline constexpr ErrorTemplate kNotFound{
    absl::StatusCode::kNotFound, "FACTOR_NOT_FOUND", "second factor not found"};
inline constexpr ErrorTemplate kLast{
    absl::StatusCode::kFailedPrecondition, "FACTOR_LAST",
    "this is the last second factor; add another one first"};

// Passkeys.
inline constexpr ErrorTemplate kPasskeyUnknown{
    absl::StatusCode::kUnauthenticated, "FACTOR_PASSKEY_UNKNOWN",
    "passkey not enrolled by this account"};
inline constexpr ErrorTemplate kPasskeyRemoved{
    absl::StatusCode::kUnauthenticated, "FACTOR_PASSKEY_REMOVED",
    "the passkey was removed"};
inline constexpr ErrorTemplate kPasskeyCounter{
    absl::StatusCode::kUnauthenticated, "FACTOR_PASSKEY_COUNTER",
    "passkey counter went from {before} to {after}; the passkey may have been "
    "copied"};
inline constexpr ErrorTemplate kPasskeyInvalid{
    absl::StatusCode::kUnauthenticated, "FACTOR_PASSKEY_INVALID",
    "passkey: {cause}"};
inline constexpr MessageTemplate kDataSize{
    "authenticator data of {bytes} bytes"};
inline constexpr MessageTemplate kOtherHost{
    "the relying party is another host"};
inline constexpr MessageTemplate kFlagsMissing{
    "flags {found} lack one of {expected}"};
inline constexpr MessageTemplate kCbor{"invalid CBOR"};
inline constexpr MessageTemplate kCredentialIdLength{
    "invalid length of the credential id"};
inline constexpr MessageTemplate kPublicKey{"invalid public key"};
inline constexpr MessageTemplate kAlgorithm{
    "expected a key of ES256, EdDSA or RS256"};
inline constexpr MessageTemplate kNoKey{"no key"};
inline constexpr MessageTemplate kAnswerBroken{"broken answer: {error}"};
inline constexpr MessageTemplate kSignatureWrong{"signature: {error}"};
inline constexpr MessageTemplate kSignatureInvalid{"invalid signature"};

// The attestation object of a new passkey.
inline constexpr ErrorTemplate kAttestationInvalid{
    absl::StatusCode::kUnauthenticated, "FACTOR_ATTESTATION_INVALID",
    "attestation object: {cause}"};
inline constexpr MessageTemplate kSize{"{bytes} bytes"};
inline constexpr MessageTemplate kFormatNoText{"\"fmt\" is not a text"};
inline constexpr MessageTemplate kStatementBroken{"\"attStmt\" is broken"};
inline constexpr MessageTemplate kDataNoBytes{
    "\"authData\" is not a byte string"};
inline constexpr MessageTemplate kEntryUnexpected{"unexpected entry"};
inline constexpr MessageTemplate kNoMap{"not a map with three entries"};
inline constexpr MessageTemplate kTrailingBytes{"trailing bytes"};

// The client data of a passkey's response.
inline constexpr ErrorTemplate kClientDataInvalid{
    absl::StatusCode::kUnauthenticated, "FACTOR_CLIENT_DATA_INVALID",
    "client data: {cause}"};
inline constexpr MessageTemplate kKeyMissing{"no \"{key}\""};
inline constexpr MessageTemplate kKeyDiffers{"another \"{key}\""};
inline constexpr MessageTemplate kNoChallenge{"no challenge"};
inline constexpr MessageTemplate kNoJson{"not a JSON object"};
inline constexpr MessageTemplate kOtherFrame{"from a frame of another origin"};

// Notifications.
inline constexpr TextTemplate kRecoveryCodeUsed{
    "FACTOR_NOTICE_RECOVERY_CODE_USED",
    "One of your recovery codes was used from {address}; {left} are left. If "
    "that was not you, renew your codes and change your password."};
inline constexpr TextTemplate kRecoveryCodeUsedOneLeft{
    "FACTOR_NOTICE_RECOVERY_CODE_USED_ONE_LEFT",
    "One of your recovery codes was used from {address}; one is left. If that "
    "was not you, renew your codes and change your password."};
inline constexpr TextTemplate kRecoveryCodeUsedLast{
    "FACTOR_NOTICE_RECOVERY_CODE_USED_LAST",
    "Your last recovery code was used from {address}. If that was not you, "
    "renew your codes and change your password."};
inline constexpr TextTemplate kUnknownAddress{"FACTOR_NOTICE_UNKNOWN_ADDRESS",
                                              "an unknown address"};

}  // namespace carme::backend::factor_messages

#endif  // CARME_BACKEND_IDENTITY_FACTORS_MESSAGES_H_
