// The messages of the login (common/message.h).
#ifndef CARME_BACKEND_IDENTITY_LOGIN_MESSAGES_H_
#define CARME_BACKEND_IDENTITY_LOGIN_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::login_messages {

// The answer to every kind of wrong input: neither text nor reason may reveal
// which part was wrong, or whether the account exists.
inline constexpr ErrorTemplate kRefused{
    absl::StatusCode::kUnauthenticated, "LOGIN_REFUSED",
    "user name, password or code is wrong, or you are not allowed in"};

// The answer of every counter of LoginThrottle.
inline constexpr ErrorTemplate kThrottled{
    absl::StatusCode::kResourceExhausted, "LOGIN_THROTTLED",
    "too many failed logins; try again in {wait}"};
inline constexpr MessageTemplate kWaitSeconds{"{count} s"};
inline constexpr MessageTemplate kWaitMinutes{"{count} minutes"};
inline constexpr MessageTemplate kWaitHours{"{count} hours"};

inline constexpr ErrorTemplate kDirectoryUnavailable{
    absl::StatusCode::kUnavailable, "LOGIN_DIRECTORY_UNAVAILABLE",
    "the directory cannot be reached; try again"};
inline constexpr ErrorTemplate kNotRecorded{
    absl::StatusCode::kUnavailable, "LOGIN_NOT_RECORDED",
    "the login could not be recorded; try again"};
inline constexpr ErrorTemplate kNotChecked{
    absl::StatusCode::kUnavailable, "LOGIN_NOT_CHECKED",
    "the login cannot be checked now; try again"};

// The name of an authenticator app that the login enrolls.
inline constexpr MessageTemplate kFirstTotpName{"Authenticator app"};

// Reauthentication.
inline constexpr ErrorTemplate kFactorNotChecked{
    absl::StatusCode::kUnavailable, "LOGIN_FACTOR_NOT_CHECKED",
    "the factor cannot be checked now; try again"};
inline constexpr ErrorTemplate kWrongFactor{absl::StatusCode::kInvalidArgument,
                                            "LOGIN_FACTOR_WRONG",
                                            "the code or passkey is wrong"};

// The rest is only for the audit log. The client gets one of the answers above.
inline constexpr ErrorTemplate kPasskeyChallengeInvalid{
    absl::StatusCode::kUnauthenticated, "LOGIN_PASSKEY_CHALLENGE_INVALID",
    "the passkey challenge is invalid or expired"};
inline constexpr ErrorTemplate kPasskeyChallengeUsed{
    absl::StatusCode::kUnauthenticated, "LOGIN_PASSKEY_CHALLENGE_USED",
    "the passkey challenge was already used"};
inline constexpr ErrorTemplate kTwoUsers{
    absl::StatusCode::kUnauthenticated, "LOGIN_TWO_USERS",
    "the directory returned two different users"};
inline constexpr ErrorTemplate kNoFactorAllowed{
    absl::StatusCode::kFailedPrecondition, "LOGIN_NO_FACTOR_ALLOWED",
    "[factors] allows no second factor for this user"};

inline constexpr MessageTemplate kAuditThrottled{"throttled"};
inline constexpr MessageTemplate kAuditThrottledFactorFirst{
    "throttled: second factor first"};
inline constexpr MessageTemplate kAuditThrottledAfterFactor{
    "throttled, with the right second factor"};
inline constexpr MessageTemplate kAuditNoInput{"no user name, or no password"};
inline constexpr MessageTemplate kAuditNoChallenge{"no such challenge"};
inline constexpr MessageTemplate kAuditSessionsEnded{
    "all sessions of the user were ended meanwhile"};
inline constexpr MessageTemplate kAuditFactorFirst{"second factor first"};
inline constexpr MessageTemplate kAuditFactorFirstFailed{
    "second factor first: {cause}"};
inline constexpr MessageTemplate kAuditPasswordAfterFactorFailed{
    "right second factor first, then: {cause}"};

}  // namespace carme::backend::login_messages

#endif  // CARME_BACKEND_IDENTITY_LOGIN_MESSAGES_H_
