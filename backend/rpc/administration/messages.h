// The messages of the services that help administrators to fill in forms
// (common/message.h).
#ifndef CARME_BACKEND_RPC_ADMINISTRATION_MESSAGES_H_
#define CARME_BACKEND_RPC_ADMINISTRATION_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::rpc_administration_messages {

inline constexpr ErrorTemplate kChoiceKindInvalid{
    absl::StatusCode::kInvalidArgument, "CHOICE_KIND_INVALID",
    "kind: unknown value"};

inline constexpr ErrorTemplate kTooManySearches{
    absl::StatusCode::kResourceExhausted, "CHOICE_TOO_MANY_SEARCHES",
    "too many searches wait for the directory: try again"};

inline constexpr ErrorTemplate kPreviewUsernameInvalid{
    absl::StatusCode::kInvalidArgument, "PREVIEW_USERNAME_INVALID",
    "username: expected 1 to 64 letters, digits and . _ - @ +"};

inline constexpr ErrorTemplate kPreviewUserUnknown{
    absl::StatusCode::kNotFound, "PREVIEW_USER_UNKNOWN",
    "\"{username}\" cannot log in: the directory has no such user, or does not "
    "allow this user to use the portal"};

inline constexpr ErrorTemplate kTooManyPreviews{
    absl::StatusCode::kResourceExhausted, "PREVIEW_TOO_MANY",
    "too many previews are running: try again"};

inline constexpr ErrorTemplate kPreviewDraftEmpty{
    absl::StatusCode::kInvalidArgument, "PREVIEW_DRAFT_EMPTY",
    "limitDraft: expected a limit to set or to remove"};

inline constexpr ErrorTemplate kPreviewDraftProjects{
    absl::StatusCode::kInvalidArgument, "PREVIEW_DRAFT_PROJECTS",
    "templateDraft: expected at most {max} projects to attach and to detach"};

inline constexpr ErrorTemplate kPreviewDraftOutdated{
    absl::StatusCode::kFailedPrecondition, "PREVIEW_DRAFT_OUTDATED",
    "the template was changed after you opened it: reload the page to see its "
    "settings"};

}  // namespace carme::backend::rpc_administration_messages

#endif  // CARME_BACKEND_RPC_ADMINISTRATION_MESSAGES_H_
