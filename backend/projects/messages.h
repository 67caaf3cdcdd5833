// The messages about projects (common/message.h).
#ifndef CARME_BACKEND_PROJECTS_MESSAGES_H_
#define CARME_BACKEND_PROJECTS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::project_messages {

// Also the answer for a project that exists but that the caller cannot see.
inline constexpr ErrorTemplate kNotFound{
    absl::StatusCode::kNotFound, "PROJECT_NOT_FOUND", "project not found"};

// Who may do something.
inline constexpr ErrorTemplate kOnlySupportSeesAll{
    absl::StatusCode::kPermissionDenied, "PROJECT_LIST_OF_ALL_DENIED",
    "only support and administrators see all projects"};
inline constexpr ErrorTemplate kOnlyMember{absl::StatusCode::kPermissionDenied,
                                           "PROJECT_MEMBER_THEMSELVES_REQUIRED",
                                           "only the member may do this"};
inline constexpr ErrorTemplate kOnlyManagers{
    absl::StatusCode::kPermissionDenied, "PROJECT_MANAGER_REQUIRED",
    "only the project's managers may do this"};
inline constexpr ErrorTemplate kOnlyOwner{
    absl::StatusCode::kPermissionDenied, "PROJECT_OWNER_REQUIRED",
    "only the project's owner may do this"};
inline constexpr ErrorTemplate kOnlyOwnerRemovesManagers{
    absl::StatusCode::kPermissionDenied, "PROJECT_MANAGER_REMOVAL_DENIED",
    "only the owner of the project may remove a manager"};
inline constexpr ErrorTemplate kOnlyAdministrators{
    absl::StatusCode::kPermissionDenied, "PROJECT_ADMINISTRATOR_REQUIRED",
    "only administrators may do this"};
inline constexpr ErrorTemplate kOnlyApprovers{
    absl::StatusCode::kPermissionDenied, "PROJECT_APPROVER_REQUIRED",
    "only administrators, and managers of the site for projects of others, "
    "may do this"};
inline constexpr ErrorTemplate kUnknownAction{
    absl::StatusCode::kPermissionDenied, "PROJECT_ACTION_UNKNOWN",
    "this action does not exist"};
inline constexpr ErrorTemplate kTakesNoRequests{
    absl::StatusCode::kPermissionDenied, "PROJECT_TAKES_NO_REQUESTS",
    "the project does not accept requests"};

// The state of a project.
inline constexpr ErrorTemplate kWaitsForApproval{
    absl::StatusCode::kFailedPrecondition, "PROJECT_WAITS_FOR_APPROVAL",
    "the project is waiting for approval"};
inline constexpr ErrorTemplate kExpired{
    absl::StatusCode::kFailedPrecondition, "PROJECT_EXPIRED",
    "the project has expired; an administrator can extend it"};
inline constexpr ErrorTemplate kClosed{
    absl::StatusCode::kFailedPrecondition, "PROJECT_CLOSED",
    "the project is closed; an administrator can reopen it"};
inline constexpr ErrorTemplate kUnknownState{
    absl::StatusCode::kFailedPrecondition, "PROJECT_STATE_UNKNOWN",
    "the project has an unknown state"};
inline constexpr ErrorTemplate kNotActive{absl::StatusCode::kFailedPrecondition,
                                          "PROJECT_NOT_ACTIVE",
                                          "the project is not active"};
inline constexpr ErrorTemplate kNotRequested{
    absl::StatusCode::kFailedPrecondition, "PROJECT_NOT_REQUESTED",
    "not possible in the current state of the project: expected one that "
    "waits for you"};
inline constexpr ErrorTemplate kNotClosed{
    absl::StatusCode::kFailedPrecondition, "PROJECT_NOT_CLOSED",
    "not possible in the current state of the project: expected a closed one"};
inline constexpr ErrorTemplate kAlreadyClosed{
    absl::StatusCode::kFailedPrecondition, "PROJECT_ALREADY_CLOSED",
    "not possible in the current state of the project: expected one that is "
    "not closed"};

// The role of a member.
inline constexpr ErrorTemplate kNoSuchMember{absl::StatusCode::kNotFound,
                                             "PROJECT_MEMBER_NOT_FOUND",
                                             "no such member in the project"};
inline constexpr ErrorTemplate kNeedsNoRole{
    absl::StatusCode::kFailedPrecondition, "PROJECT_USER_HAS_A_ROLE",
    "not possible for the current role in the project: expected a user "
    "without a role"};
inline constexpr ErrorTemplate kNeedsInvitation{
    absl::StatusCode::kFailedPrecondition, "PROJECT_INVITATION_REQUIRED",
    "not possible for the current role in the project: expected an "
    "invitation"};
inline constexpr ErrorTemplate kNeedsRequest{
    absl::StatusCode::kFailedPrecondition, "PROJECT_REQUEST_REQUIRED",
    "not possible for the current role in the project: expected a request"};
inline constexpr ErrorTemplate kOwnerMustHandOver{
    absl::StatusCode::kFailedPrecondition, "PROJECT_OWNER_MUST_HAND_OVER",
    "not possible for the current role in the project: expected a member who "
    "is not the owner; hand over the project first"};
inline constexpr ErrorTemplate kNeedsOtherThanOwner{
    absl::StatusCode::kFailedPrecondition, "PROJECT_MEMBER_OWNS_IT",
    "not possible for the current role in the project: expected a member who "
    "is not the owner"};
inline constexpr ErrorTemplate kNeedsWaitingMember{
    absl::StatusCode::kFailedPrecondition, "PROJECT_MEMBER_NOT_WAITING",
    "not possible for the current role in the project: expected a membership "
    "that waits for you"};
inline constexpr ErrorTemplate kNeedsPlainMember{
    absl::StatusCode::kFailedPrecondition, "PROJECT_MEMBER_NOT_PLAIN",
    "not possible for the current role in the project: expected a member"};
inline constexpr ErrorTemplate kNeedsManager{
    absl::StatusCode::kFailedPrecondition, "PROJECT_MEMBER_NOT_MANAGER",
    "not possible for the current role in the project: expected a manager"};
inline constexpr ErrorTemplate kNewOwnerMustManage{
    absl::StatusCode::kFailedPrecondition, "PROJECT_NEW_OWNER_MUST_MANAGE",
    "not possible for the current role in the project: expected a manager of "
    "the project"};
inline constexpr ErrorTemplate kNamesake{
    absl::StatusCode::kFailedPrecondition, "PROJECT_FORMER_ACCOUNT_IS_MEMBER",
    "a former account with this user name is still a member; remove it first"};

// Jobs. The first is also the answer for a project that does not exist.
inline constexpr ErrorTemplate kNotYours{
    absl::StatusCode::kNotFound, "PROJECT_NOT_YOURS",
    "project is not one of yours: expected one that you are a member of"};
inline constexpr ErrorTemplate kNotAMemberYet{
    absl::StatusCode::kFailedPrecondition, "PROJECT_MEMBERSHIP_NOT_CONFIRMED",
    "you are not a member of the project yet: its managers and you must agree, "
    "and also an administrator if the site requires it"};
inline constexpr ErrorTemplate kExpiredForJobs{
    absl::StatusCode::kFailedPrecondition, "PROJECT_EXPIRED_FOR_JOBS",
    "the project has expired: expected an active one"};
inline constexpr ErrorTemplate kClosedForJobs{
    absl::StatusCode::kFailedPrecondition, "PROJECT_CLOSED_FOR_JOBS",
    "the project is closed: expected an active one"};

// Limits.
inline constexpr ErrorTemplate kTooManyProjects{
    absl::StatusCode::kResourceExhausted, "PROJECT_SITE_LIMIT_REACHED",
    "there are {projects} projects at this site; ask an administrator to "
    "remove some"};
inline constexpr ErrorTemplate kTooManyOwned{
    absl::StatusCode::kResourceExhausted, "PROJECT_OWNER_LIMIT_REACHED",
    "you own {owned} projects, of which {waiting} wait for an administrator: "
    "expected fewer than {max_owned} and {max_waiting}"};
inline constexpr ErrorTemplate kTooManyMembers{
    absl::StatusCode::kResourceExhausted, "PROJECT_MEMBER_LIMIT_REACHED",
    "the project has {members} members and {requests} open requests: expected "
    "fewer than {max_members} and {max_requests}"};
inline constexpr ErrorTemplate kTooManyRequests{
    absl::StatusCode::kResourceExhausted, "PROJECT_REQUEST_LIMIT_REACHED",
    "you have open requests to {projects} projects: expected fewer than {max}"};

// Fields of a request.
inline constexpr ErrorTemplate kInvalidAction{
    absl::StatusCode::kInvalidArgument, "PROJECT_ACTION_INVALID",
    "action must be approve, reject, close or reopen"};
inline constexpr ErrorTemplate kInvalidMemberAction{
    absl::StatusCode::kInvalidArgument, "PROJECT_MEMBER_ACTION_INVALID",
    "action must be an action on a member"};
inline constexpr ErrorTemplate kInvalidRole{absl::StatusCode::kInvalidArgument,
                                            "PROJECT_ROLE_INVALID",
                                            "role must be MEMBER or MANAGER"};
inline constexpr ErrorTemplate kUsernameOrMail{
    absl::StatusCode::kInvalidArgument, "PROJECT_USERNAME_OR_MAIL_REQUIRED",
    "expected either a username or an email address"};
inline constexpr ErrorTemplate kWrongLength{
    absl::StatusCode::kInvalidArgument, "PROJECT_TEXT_LENGTH_INVALID",
    "{field} has {characters} characters: expected {min} to {max} printable "
    "ones"};
inline constexpr ErrorTemplate kUnprintable{
    absl::StatusCode::kInvalidArgument, "PROJECT_TEXT_UNPRINTABLE",
    "{field} contains an unprintable character: expected {min} to {max} "
    "printable ones"};
inline constexpr ErrorTemplate kBlankName{absl::StatusCode::kInvalidArgument,
                                          "PROJECT_NAME_BLANK",
                                          "name must not be blank"};
inline constexpr ErrorTemplate kUnknownClassification{
    absl::StatusCode::kInvalidArgument, "PROJECT_CLASSIFICATION_UNKNOWN",
    "classification is \"{classification}\": expected one of: "
    "{classifications}"};
inline constexpr ErrorTemplate kInvalidAccount{
    absl::StatusCode::kInvalidArgument, "PROJECT_ACCOUNT_INVALID",
    "account is \"{account}\": expected at most {max} letters, digits and "
    "\"_-.\", a letter first"};
inline constexpr ErrorTemplate kInvalidEnd{
    absl::StatusCode::kInvalidArgument, "PROJECT_END_INVALID",
    "expiresAt must be within the next 20 years, or empty"};

// Users in the directory.
inline constexpr ErrorTemplate kNoSuchUser{absl::StatusCode::kNotFound,
                                           "PROJECT_INVITEE_NOT_FOUND",
                                           "no such user at this site"};
inline constexpr ErrorTemplate kUserNotInDirectory{
    absl::StatusCode::kNotFound, "PROJECT_USER_NOT_FOUND",
    "\"{user}\" is not in the directory or not allowed to use Carme"};
inline constexpr ErrorTemplate kMailNotUnique{
    absl::StatusCode::kFailedPrecondition, "PROJECT_MAIL_NOT_UNIQUE",
    "several users have the e-mail address \"{mail}\"; use a user name"};
inline constexpr ErrorTemplate kDirectoryUnavailable{
    absl::StatusCode::kUnavailable, "PROJECT_DIRECTORY_UNAVAILABLE",
    "the directory is not available; try again in a moment"};

// Notifications.
inline constexpr TextTemplate kRefusedByManager{
    "PROJECT_NOTICE_REFUSED_BY_MANAGER",
    "A manager of the site has refused your project \"{project}\"."};
inline constexpr TextTemplate kOpenedByManager{
    "PROJECT_NOTICE_OPENED_BY_MANAGER",
    "A manager of the site has opened your project \"{project}\"."};
inline constexpr TextTemplate kClosedByManager{
    "PROJECT_NOTICE_CLOSED_BY_MANAGER",
    "A manager of the site has closed your project \"{project}\"."};
inline constexpr TextTemplate kRefusedByAdministrator{
    "PROJECT_NOTICE_REFUSED_BY_ADMINISTRATOR",
    "An administrator has refused your project \"{project}\"."};
inline constexpr TextTemplate kOpenedByAdministrator{
    "PROJECT_NOTICE_OPENED_BY_ADMINISTRATOR",
    "An administrator has opened your project \"{project}\"."};
inline constexpr TextTemplate kClosedByAdministrator{
    "PROJECT_NOTICE_CLOSED_BY_ADMINISTRATOR",
    "An administrator has closed your project \"{project}\"."};
inline constexpr TextTemplate kYouAreMember{
    "PROJECT_NOTICE_YOU_ARE_MEMBER",
    "You are a member of the project \"{project}\" now."};
inline constexpr TextTemplate kMembershipDeclined{
    "PROJECT_NOTICE_MEMBERSHIP_DECLINED",
    "Your membership was declined in the project \"{project}\"."};
inline constexpr TextTemplate kYouWereRemoved{
    "PROJECT_NOTICE_YOU_WERE_REMOVED",
    "You are no longer a member of the project \"{project}\"."};
inline constexpr TextTemplate kYouAreOwner{
    "PROJECT_NOTICE_YOU_ARE_OWNER",
    "The project \"{project}\" was handed over to you. You are its owner "
    "now."};
inline constexpr TextTemplate kYouWereMadeManager{
    "PROJECT_NOTICE_YOU_WERE_MADE_MANAGER",
    "The administrator {administrator} made you a manager of the project "
    "\"{project}\"."};
inline constexpr TextTemplate kYouWereAddedAsManager{
    "PROJECT_NOTICE_YOU_WERE_ADDED_AS_MANAGER",
    "The administrator {administrator} added you as a manager to the project "
    "\"{project}\"."};
inline constexpr TextTemplate kYouWereAdded{
    "PROJECT_NOTICE_YOU_WERE_ADDED",
    "The administrator {administrator} added you to the project "
    "\"{project}\"."};
inline constexpr TextTemplate kHandedOver{
    "PROJECT_NOTICE_HANDED_OVER",
    "An administrator has handed over your project \"{project}\": you manage "
    "it now."};
inline constexpr TextTemplate kInvited{
    "PROJECT_NOTICE_INVITED",
    "You are invited to the project \"{project}\" by {user}: accept or "
    "decline."};
inline constexpr TextTemplate kEndsSoon{
    "PROJECT_NOTICE_ENDS_SOON",
    "The project \"{project}\" ends on {date} at {time} UTC. After that no new "
    "jobs can start in it. An administrator can extend it."};
inline constexpr TextTemplate kHasEnded{
    "PROJECT_NOTICE_HAS_ENDED",
    "The project \"{project}\" has ended. No new jobs can start in it; running "
    "jobs continue. An administrator can extend it."};

}  // namespace carme::backend::project_messages

#endif  // CARME_BACKEND_PROJECTS_MESSAGES_H_
