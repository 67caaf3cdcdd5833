// The messages about environments (common/message.h). Problems in the text of
// an environment are common/edf's.
#ifndef CARME_BACKEND_ENVIRONMENTS_MESSAGES_H_
#define CARME_BACKEND_ENVIRONMENTS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::environment_messages {

inline constexpr ErrorTemplate kTooManyChecks{
    absl::StatusCode::kResourceExhausted, "ENVIRONMENT_CHECK_LIMIT_REACHED",
    "too many environments are being checked: try again"};
inline constexpr ErrorTemplate kNotOffered{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_NOT_OFFERED",
    "environments are not offered here: expected an image"};
// The same for a job that has one.
inline constexpr ErrorTemplate kNotOfferedToJobs{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_NOT_OFFERED_TO_JOBS",
    "environments are not offered here: expected an image"};
inline constexpr ErrorTemplate kTextTooLong{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_TEXT_TOO_LONG",
    "the text has {bytes} bytes: expected at most {max}"};
inline constexpr TextTemplate kRenderedTooLong{
    "ENVIRONMENT_RENDERED_TOO_LONG",
    "the environment has {bytes} bytes when it is rendered: expected at most "
    "{max}"};
inline constexpr TextTemplate kNotWritable{
    "ENVIRONMENT_NOT_WRITABLE",
    "this setting cannot be changed by the form: change the text"};
// The place of a caller's own environments.
inline constexpr TextTemplate kOwnPlace{"ENVIRONMENT_OWN_PLACE",
                                        "your environments on the page"};
inline constexpr MessageTemplate kMoreProblems{
    "{problem} (and {problems} more)"};
inline constexpr ErrorTemplate kHomeUnavailable{
    absl::StatusCode::kUnavailable, "ENVIRONMENT_HOME_UNAVAILABLE",
    "your account's home directory cannot be looked up now: try again"};
inline constexpr ErrorTemplate kInvalid{absl::StatusCode::kInvalidArgument,
                                        "ENVIRONMENT_INVALID", "{problem}"};
inline constexpr ErrorTemplate kNotUsable{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_NOT_USABLE",
    "environment {environment} cannot be used: {cause}"};
inline constexpr ErrorTemplate kImageNotUsable{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_IMAGE_NOT_USABLE",
    "image {image} cannot be used for a job: choose an image of the "
    "catalogue"};

// Reading and writing.
inline constexpr ErrorTemplate kNotFound{absl::StatusCode::kNotFound,
                                         "ENVIRONMENT_NOT_FOUND",
                                         "you have no such environment"};
inline constexpr ErrorTemplate kNotOfSite{absl::StatusCode::kNotFound,
                                          "ENVIRONMENT_OF_SITE_NOT_FOUND",
                                          "the site has no such environment"};
inline constexpr ErrorTemplate kInheritedTooLong{
    absl::StatusCode::kResourceExhausted, "ENVIRONMENT_INHERITS_TOO_MUCH",
    "more than {max} bytes inherited"};
inline constexpr ErrorTemplate kUnreadable{absl::StatusCode::kUnavailable,
                                           "ENVIRONMENT_UNREADABLE",
                                           "it cannot be read now: try again"};
inline constexpr ErrorTemplate kFileNotAllowed{
    absl::StatusCode::kPermissionDenied, "ENVIRONMENT_FILE_NOT_ALLOWED",
    "expected one of your environments of this page, or of the site's, by its "
    "name"};
inline constexpr ErrorTemplate kAlreadyExists{
    absl::StatusCode::kAlreadyExists, "ENVIRONMENT_ALREADY_EXISTS",
    "environment \"{environment}\" already exists: choose another name"};
inline constexpr ErrorTemplate kDeletedMeanwhile{
    absl::StatusCode::kNotFound, "ENVIRONMENT_DELETED_MEANWHILE",
    "environment \"{environment}\" was deleted meanwhile"};
inline constexpr ErrorTemplate kChangedMeanwhile{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_CHANGED_MEANWHILE",
    "environment \"{environment}\" was changed in another window: open it "
    "again, or save yours under another name"};
inline constexpr ErrorTemplate kTooMany{
    absl::StatusCode::kResourceExhausted, "ENVIRONMENT_LIMIT_REACHED",
    "you have {environments} environments: expected at most {max}: delete "
    "one"};

// Names.
inline constexpr ErrorTemplate kInvalidName{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_NAME_INVALID",
    "name is {name}: expected 1 to {max} letters, digits, \".\", \"_\" and "
    "\"-\", a letter or digit first, without \".toml\""};
inline constexpr ErrorTemplate kInvalidPath{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_PATH_INVALID",
    "environment file {path}: expected a path that begins with \"/\" or "
    "\"~/\", ends with \".toml\" and has no \"..\""};

// Images with further packages.
inline constexpr ErrorTemplate kInvalidPackage{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_PACKAGE_INVALID",
    "package {package}: expected a name, with versions if needed, such as "
    "\"numpy>=2\", without spaces, options and addresses"};
inline constexpr ErrorTemplate kTooManyPackages{
    absl::StatusCode::kInvalidArgument, "ENVIRONMENT_TOO_MANY_PACKAGES",
    "{packages} packages: expected at most {max}"};
inline constexpr ErrorTemplate kNoPackages{absl::StatusCode::kInvalidArgument,
                                           "ENVIRONMENT_NO_PACKAGES",
                                           "expected at least one package"};
inline constexpr ErrorTemplate kPackagesNotAllowed{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_PACKAGES_NOT_ALLOWED",
    "this site does not allow packages from {kind}: ask an administrator"};
inline constexpr ErrorTemplate kTemplateNotFound{
    absl::StatusCode::kNotFound, "ENVIRONMENT_TEMPLATE_NOT_FOUND",
    "the site has no such template"};
inline constexpr ErrorTemplate kBaseImageNotUsable{
    absl::StatusCode::kFailedPrecondition, "ENVIRONMENT_BASE_IMAGE_NOT_USABLE",
    "packages cannot be added to image {image}: choose an image of the site, "
    "or one of yours"};

}  // namespace carme::backend::environment_messages

#endif  // CARME_BACKEND_ENVIRONMENTS_MESSAGES_H_
