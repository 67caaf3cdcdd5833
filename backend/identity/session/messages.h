// The messages about sessions and access tokens (common/message.h).
#ifndef CARME_BACKEND_IDENTITY_SESSION_MESSAGES_H_
#define CARME_BACKEND_IDENTITY_SESSION_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::session_messages {

// One answer for all invalid session tokens.
inline constexpr ErrorTemplate kNotLoggedIn{
    absl::StatusCode::kUnauthenticated, "SESSION_INVALID",
    "not logged in, or the session has ended"};
inline constexpr ErrorTemplate kEndedMeanwhile{
    absl::StatusCode::kAborted, "SESSION_ENDED_MEANWHILE",
    "all sessions of the user were ended meanwhile"};

// The owner of a session or of an access token, in the directory.
inline constexpr ErrorTemplate kDirectoryUnavailable{
    absl::StatusCode::kUnavailable, "SESSION_DIRECTORY_UNAVAILABLE",
    "the directory is not available; try again in a moment"};
inline constexpr ErrorTemplate kLoginNotAllowed{
    absl::StatusCode::kNotFound, "SESSION_LOGIN_NOT_ALLOWED",
    "the directory does not allow you to log in"};
inline constexpr ErrorTemplate kAccountNotAllowed{
    absl::StatusCode::kUnauthenticated, "SESSION_ACCOUNT_NOT_ALLOWED",
    "this account is no longer allowed to use Carme"};
inline constexpr ErrorTemplate kLookupPending{
    absl::StatusCode::kUnavailable, "SESSION_LOOKUP_PENDING",
    "the directory allows this account again; try again in a moment"};

// The device of a session, by its user agent.
inline constexpr MessageTemplate kUnknownDevice{"unknown device"};
inline constexpr MessageTemplate kBrowserOnSystem{"a browser on {system}"};
inline constexpr MessageTemplate kProgramOnSystem{"{program} on {system}"};

// Use of an access token. One answer for all invalid ones.
inline constexpr ErrorTemplate kTokenInvalid{
    absl::StatusCode::kUnauthenticated, "ACCESS_TOKEN_INVALID",
    "the access token is unknown, revoked or expired"};
inline constexpr ErrorTemplate kTokenAddressNotAllowed{
    absl::StatusCode::kPermissionDenied, "ADDRESS_NOT_ALLOWED",
    "this access token is not allowed from the address \"{address}\""};
inline constexpr ErrorTemplate kTokenExceedsRole{
    absl::StatusCode::kPermissionDenied, "ACCESS_TOKEN_EXCEEDS_ROLE",
    "the scope \"{scope}\" of the access token exceeds your role \"{role}\": "
    "make a new token"};
inline constexpr ErrorTemplate kTokenHasNoFactor{
    absl::StatusCode::kPermissionDenied, "TOKEN_HAS_NO_FACTOR",
    "an access token has no second factor"};
inline constexpr ErrorTemplate kTokenIsNoSession{
    absl::StatusCode::kInvalidArgument, "TOKEN_IS_NO_SESSION",
    "this is an access token, not a session; revoke it instead"};

// Access tokens of their owner.
inline constexpr ErrorTemplate kTokenNotFound{absl::StatusCode::kNotFound,
                                              "TOKEN_NOT_FOUND",
                                              "you have no such access token"};
inline constexpr ErrorTemplate kTokenNotRecorded{
    absl::StatusCode::kUnavailable, "TOKEN_NOT_RECORDED",
    "the access token could not be recorded; try again"};
inline constexpr ErrorTemplate kTokensNotOffered{
    absl::StatusCode::kResourceExhausted, "TOKEN_NOT_OFFERED",
    "your site does not allow access tokens"};
inline constexpr ErrorTemplate kTokenOnlyOne{
    absl::StatusCode::kResourceExhausted, "TOKEN_ONLY_ONE",
    "you have one access token already: revoke it first"};
inline constexpr ErrorTemplate kTokenTooMany{
    absl::StatusCode::kResourceExhausted, "TOKEN_TOO_MANY",
    "you have {max} access tokens: revoke one first"};
inline constexpr ErrorTemplate kTokenNameInvalid{
    absl::StatusCode::kInvalidArgument, "TOKEN_NAME_INVALID",
    "the name has {bytes} bytes: expected 1 to {max} printable ASCII "
    "characters"};
inline constexpr ErrorTemplate kTokenScopeCount{
    absl::StatusCode::kInvalidArgument, "TOKEN_SCOPE_COUNT",
    "{count} scopes: expected 1 to {max}"};
inline constexpr ErrorTemplate kTokenScopeUnknown{
    absl::StatusCode::kInvalidArgument, "TOKEN_SCOPE_UNKNOWN",
    "unknown scope \"{scope}\""};
inline constexpr ErrorTemplate kTokenScopeNotAlone{
    absl::StatusCode::kInvalidArgument, "TOKEN_SCOPE_NOT_ALONE",
    "scope \"{scope}\" must be the only one of its token"};
inline constexpr ErrorTemplate kTokenScopeExceedsRole{
    absl::StatusCode::kPermissionDenied, "TOKEN_SCOPE_EXCEEDS_ROLE",
    "scope \"{scope}\" exceeds your role \"{role}\""};
inline constexpr ErrorTemplate kTokenTooManyAddresses{
    absl::StatusCode::kInvalidArgument, "TOKEN_TOO_MANY_ADDRESSES",
    "{count} addresses: expected at most {max}"};
inline constexpr ErrorTemplate kTokenAddressTooLong{
    absl::StatusCode::kInvalidArgument, "TOKEN_ADDRESS_TOO_LONG",
    "an address has {bytes} bytes: expected at most {max}"};
inline constexpr ErrorTemplate kTokenExpiryInvalid{
    absl::StatusCode::kInvalidArgument, "TOKEN_EXPIRY_INVALID",
    "the expiry is in the past or too far away: expected at most {days} days "
    "from now"};
inline constexpr ErrorTemplate kTokenExpiryNotInADay{
    absl::StatusCode::kInvalidArgument, "TOKEN_EXPIRY_NOT_IN_A_DAY",
    "the expiry is in the past or too far away: expected at most one day from "
    "now"};

}  // namespace carme::backend::session_messages

#endif  // CARME_BACKEND_IDENTITY_SESSION_MESSAGES_H_
