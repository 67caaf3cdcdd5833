// The messages about the directory and its passwords (common/message.h). Errors
// UNAUTHENTICATED and UNAVAILABLE are for the log only: the login answers them
// with errors of its own.
#ifndef CARME_BACKEND_IDENTITY_LDAP_MESSAGES_H_
#define CARME_BACKEND_IDENTITY_LDAP_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::ldap_messages {

// Connections and searches.
inline constexpr ErrorTemplate kNoAddress{
    absl::StatusCode::kUnavailable, "DIRECTORY_NO_ADDRESS",
    "directory: no address is configured"};
inline constexpr ErrorTemplate kUrlInvalid{absl::StatusCode::kUnavailable,
                                           "DIRECTORY_URL_INVALID",
                                           "directory: url: {cause}"};
inline constexpr ErrorTemplate kOptionNotSet{absl::StatusCode::kUnavailable,
                                             "DIRECTORY_OPTION_NOT_SET",
                                             "directory: cannot set {option}"};
inline constexpr ErrorTemplate kTlsNotEstablished{
    absl::StatusCode::kUnavailable, "DIRECTORY_TLS_NOT_ESTABLISHED",
    "directory: {address}: TLS was not established"};
inline constexpr ErrorTemplate kTlsTooOld{
    absl::StatusCode::kUnavailable, "DIRECTORY_TLS_TOO_OLD",
    "directory: {address}: TLS 1.2 or 1.3 is required"};
// `operation` is a server's address or one of the messages that follow.
inline constexpr ErrorTemplate kFailed{absl::StatusCode::kUnavailable,
                                       "DIRECTORY_FAILED",
                                       "directory: {operation}: {error}"};
inline constexpr MessageTemplate kSearch{"search below {base}"};
inline constexpr MessageTemplate kEndOfPage{"a page's end"};
inline constexpr MessageTemplate kErrorWithDiagnostic{"{error} ({diagnostic})"};
inline constexpr ErrorTemplate kTooManyEntries{
    absl::StatusCode::kOutOfRange, "DIRECTORY_TOO_MANY_ENTRIES",
    "directory: more than {max} entries below {base}"};
inline constexpr ErrorTemplate kTooManyValues{
    absl::StatusCode::kOutOfRange, "DIRECTORY_TOO_MANY_VALUES",
    "directory: {dn}: too many values"};
inline constexpr ErrorTemplate kTooManyGroups{
    absl::StatusCode::kOutOfRange, "DIRECTORY_TOO_MANY_GROUPS",
    "directory: in more than {max} groups"};
inline constexpr ErrorTemplate kValuesMissing{
    absl::StatusCode::kUnavailable, "DIRECTORY_VALUES_MISSING",
    "directory: {dn}: \"{attribute}\" after {count} values"};
inline constexpr ErrorTemplate kEntryDeleted{
    absl::StatusCode::kUnavailable, "DIRECTORY_ENTRY_DELETED",
    "directory: {dn}: was deleted meanwhile"};

// Binds.
inline constexpr ErrorTemplate kBindIncomplete{
    absl::StatusCode::kInvalidArgument, "DIRECTORY_BIND_INCOMPLETE",
    "directory: bind requires a DN and a password"};
inline constexpr ErrorTemplate kBindFailed{absl::StatusCode::kUnavailable,
                                           "DIRECTORY_BIND_FAILED",
                                           "directory: bind \"{dn}\": {error}"};
inline constexpr ErrorTemplate kBindRefused{
    absl::StatusCode::kUnauthenticated, "DIRECTORY_BIND_REFUSED",
    "directory: bind \"{dn}\": {error}"};
inline constexpr ErrorTemplate kBindRefusedByPolicy{
    absl::StatusCode::kUnauthenticated, "DIRECTORY_BIND_REFUSED_BY_POLICY",
    "directory: bind \"{dn}\": {error}: {cause}"};
inline constexpr MessageTemplate kPasswordExpired{"password expired"};
inline constexpr MessageTemplate kPasswordMustChange{
    "password must be changed"};
inline constexpr MessageTemplate kAccountLocked{"account locked"};
inline constexpr MessageTemplate kAccountDisabled{"account disabled"};
inline constexpr MessageTemplate kAccountExpired{"account expired"};
inline constexpr MessageTemplate kAccountRestricted{
    "account restricted to other hours or hosts"};
inline constexpr ErrorTemplate kExpiredNotCompared{
    absl::StatusCode::kUnauthenticated, "DIRECTORY_EXPIRED_NOT_COMPARED",
    "expired password, on a server that may not compare it first"};
inline constexpr ErrorTemplate kOwnAccountRefused{
    absl::StatusCode::kUnavailable, "DIRECTORY_OWN_ACCOUNT_REFUSED",
    "own account: {error}"};
inline constexpr ErrorTemplate kOwnAccountExpired{
    absl::StatusCode::kUnavailable, "DIRECTORY_OWN_ACCOUNT_EXPIRED",
    "own account: its password has expired"};

// Users, groups, e-mail addresses.
inline constexpr ErrorTemplate kNameOrPasswordEmpty{
    absl::StatusCode::kUnauthenticated, "DIRECTORY_NAME_OR_PASSWORD_EMPTY",
    "user name or password is empty"};
inline constexpr ErrorTemplate kNameEmpty{absl::StatusCode::kNotFound,
                                          "DIRECTORY_NAME_EMPTY",
                                          "the user name is empty"};
inline constexpr ErrorTemplate kGroupNotFound{absl::StatusCode::kNotFound,
                                              "DIRECTORY_GROUP_NOT_FOUND",
                                              "directory: no such group"};
inline constexpr ErrorTemplate kNoMailAddresses{
    absl::StatusCode::kNotFound, "DIRECTORY_NO_MAIL_ADDRESSES",
    "directory: no e-mail addresses"};
inline constexpr ErrorTemplate kMailNotFound{absl::StatusCode::kNotFound,
                                             "DIRECTORY_MAIL_NOT_FOUND",
                                             "directory: no entry"};
inline constexpr ErrorTemplate kMailAmbiguous{
    absl::StatusCode::kFailedPrecondition, "DIRECTORY_MAIL_AMBIGUOUS",
    "several users have this e-mail address"};

// Why a user is refused.
inline constexpr MessageTemplate kUnknownUser{"unknown user"};
inline constexpr MessageTemplate kNameInvalid{
    "the user name in the entry is invalid"};
inline constexpr MessageTemplate kNameDiffersInNss{
    "the name service calls \"{name}\" \"{other}\""};
inline constexpr MessageTemplate kNoUidNumber{"the entry has no uidNumber"};
inline constexpr MessageTemplate kUidNumberShared{
    "two entries have the same uidNumber"};
inline constexpr MessageTemplate kUidTooSmall{
    "uid {uid}: expected at least {min}"};
inline constexpr MessageTemplate kNotInGroup{"not in group \"{group}\""};
inline constexpr MessageTemplate kControlNoNumber{
    "userAccountControl of the entry is not a number"};
inline constexpr MessageTemplate kExpiryNoNumber{
    "accountExpires of the entry is not a number"};

// Password rules of the site.
inline constexpr ErrorTemplate kPasswordAgainstRules{
    absl::StatusCode::kInvalidArgument, "PASSWORD_AGAINST_RULES",
    "the new password needs {rules}"};
inline constexpr MessageTemplate kRuleLength{"at least {min} characters"};
inline constexpr MessageTemplate kRuleClasses{
    "at least {min} of lower case letters, upper case letters, digits and "
    "other characters"};
inline constexpr MessageTemplate kRuleOwnName{"no part of your own name"};
inline constexpr MessageTemplate kRuleWords{
    "no part of your own name, and none of: {words}"};
inline constexpr MessageTemplate kRuleBytes{"at most {max} bytes"};
inline constexpr MessageTemplate kRuleNoControl{"no control characters"};
inline constexpr MessageTemplate kRuleDiffers{"to differ from the old one"};

// Changes of passwords.
inline constexpr ErrorTemplate kChangeNotOffered{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_CHANGE_NOT_OFFERED",
    "passwords cannot be changed in Carme; use the service of your site"};
inline constexpr ErrorTemplate kPasswordEmpty{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_EMPTY",
    "a password must not be empty"};
inline constexpr ErrorTemplate kPasswordNoText{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_NO_TEXT",
    "a password must be text, and must not be empty"};
inline constexpr ErrorTemplate kReadOnly{
    absl::StatusCode::kAborted, "DIRECTORY_READ_ONLY",
    "directory: {address} is read-only: {error}"};
inline constexpr ErrorTemplate kChangeFailed{
    absl::StatusCode::kUnavailable, "DIRECTORY_PASSWORD_CHANGE_FAILED",
    "directory: password change: {error}"};
inline constexpr ErrorTemplate kOldPasswordWrong{
    absl::StatusCode::kUnauthenticated, "PASSWORD_OLD_WRONG",
    "the old password is wrong"};
inline constexpr ErrorTemplate kChangeRefused{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_CHANGE_REFUSED",
    "the directory refused the new password: {error}"};
inline constexpr ErrorTemplate kChangeNotAllowed{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_CHANGE_NOT_ALLOWED",
    "the directory does not allow you to change your password"};
inline constexpr ErrorTemplate kTooEasy{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_TOO_EASY",
    "the directory rejected the new password: too easy to guess"};
inline constexpr ErrorTemplate kTooShort{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_TOO_SHORT",
    "the directory rejected the new password: too short"};
inline constexpr ErrorTemplate kTooLong{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_TOO_LONG",
    "the directory rejected the new password: too long"};
inline constexpr ErrorTemplate kTooYoung{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_CHANGED_RECENTLY",
    "your password was changed too recently to be changed again"};
inline constexpr ErrorTemplate kUsedBefore{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_USED_BEFORE",
    "you have used the new password before"};
inline constexpr ErrorTemplate kOldRequired{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_OLD_REQUIRED",
    "the directory requires the old password too"};
inline constexpr ErrorTemplate kExpiredElsewhere{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_EXPIRED",
    "your password has expired, and the directory accepts no new one from you "
    "any more: ask your administrator"};
inline constexpr ErrorTemplate kLockedAccount{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_ACCOUNT_LOCKED",
    "the directory has locked your account"};
inline constexpr ErrorTemplate kAgainstDirectoryRules{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_AGAINST_DIRECTORY_RULES",
    "the directory's rules refuse the new password: it is too short or too "
    "easy to guess, or one that you had before, or the old one is too new to "
    "be changed again"};
inline constexpr ErrorTemplate kMustChangeElsewhere{
    absl::StatusCode::kFailedPrecondition, "PASSWORD_MUST_CHANGE_ELSEWHERE",
    "your password must be changed, and cannot be changed here: ask your "
    "administrator"};

// About a right password, at the login.
inline constexpr MessageTemplate kNoteMustChange{
    "your password must be changed: choose a new one"};
inline constexpr MessageTemplate kNoteExpired{
    "your password has expired: choose a new one"};
inline constexpr MessageTemplate kNoteMustChangeElsewhere{
    "your password must be changed, and cannot be changed here: ask your "
    "administrator for a new one"};
inline constexpr MessageTemplate kNoteExpiredElsewhere{
    "your password has expired, and cannot be changed here: ask your "
    "administrator for a new one"};
inline constexpr MessageTemplate kNoteLoginsLeft{
    "your password has expired: {count} logins are left"};
inline constexpr MessageTemplate kNoteOneLoginLeft{
    "your password has expired: 1 login is left"};
inline constexpr MessageTemplate kNoteNoLoginLeft{
    "your password has expired: this was the last login with it"};
inline constexpr MessageTemplate kNoteDaysLeft{
    "your password expires in {count} days"};
inline constexpr MessageTemplate kNoteHoursLeft{
    "your password expires in {count} hours"};
inline constexpr MessageTemplate kNoteMinutesLeft{
    "your password expires in {count} minutes"};
inline constexpr MessageTemplate kNoteMinuteLeft{
    "your password expires in 1 minute"};

}  // namespace carme::backend::ldap_messages

#endif  // CARME_BACKEND_IDENTITY_LDAP_MESSAGES_H_
