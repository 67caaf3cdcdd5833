// The messages about e-mail and webhooks (common/message.h). The text of a
// failed delivery is shown to its recipient.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_MESSAGES_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::delivery_messages {

// The recipient. UNAVAILABLE: the delivery is tried again.
inline constexpr ErrorTemplate kRecipientUnknown{
    absl::StatusCode::kUnavailable, "NOTIFICATION_RECIPIENT_UNKNOWN",
    "your account is not in the directory"};
inline constexpr ErrorTemplate kDirectoryUnavailable{
    absl::StatusCode::kUnavailable, "NOTIFICATION_DIRECTORY_UNAVAILABLE",
    "the directory is not available"};

// E-mail.
inline constexpr MessageTemplate kMailSubject{"[Carme] {text}"};
inline constexpr MessageTemplate kMailSubjectOfMany{
    "[Carme] {count} notifications"};
inline constexpr MessageTemplate kMailFooter{
    "All notifications, and your e-mail settings:"};
inline constexpr ErrorTemplate kMailAddressMissing{
    absl::StatusCode::kNotFound, "MAIL_ADDRESS_MISSING",
    "the directory has no e-mail address for your account"};
inline constexpr ErrorTemplate kMailAddressInvalid{
    absl::StatusCode::kNotFound, "MAIL_ADDRESS_INVALID",
    "your e-mail address in the directory is invalid: expected name@domain in "
    "ASCII"};
inline constexpr ErrorTemplate kMailAddressRejected{
    absl::StatusCode::kInvalidArgument, "MAIL_ADDRESS_REJECTED",
    "the mail server rejects your e-mail address"};
inline constexpr ErrorTemplate kMailNotAccepted{
    absl::StatusCode::kUnavailable, "MAIL_NOT_ACCEPTED",
    "the mail server did not accept the message"};

// The settings of a webhook.
inline constexpr TextTemplate kWebhookSet{
    "WEBHOOK_NOTICE_SET",
    "Your notifications are sent to a webhook on {host} from now on. If that "
    "was not you, remove it, end all other sessions and change your "
    "password."};
inline constexpr ErrorTemplate kWebhookChangedTooOften{
    absl::StatusCode::kResourceExhausted, "WEBHOOK_CHANGED_TOO_OFTEN",
    "the webhook was changed too often; try again in an hour"};
inline constexpr ErrorTemplate kUrlMalformed{
    absl::StatusCode::kInvalidArgument, "WEBHOOK_URL_MALFORMED",
    "the webhook's address is empty, too long or contains an invalid "
    "character: expected https://… of at most {max} ASCII characters"};
inline constexpr ErrorTemplate kUrlUnreadable{
    absl::StatusCode::kInvalidArgument, "WEBHOOK_URL_UNREADABLE",
    "the webhook's address cannot be read: expected https://host/…"};
inline constexpr ErrorTemplate kUrlWithoutHost{
    absl::StatusCode::kInvalidArgument, "WEBHOOK_URL_WITHOUT_HOST",
    "the webhook's address has no host: expected https://host/…"};
inline constexpr ErrorTemplate kUrlWithUser{
    absl::StatusCode::kInvalidArgument, "WEBHOOK_URL_WITH_USER",
    "the webhook's address has a user or a password: expected none"};
inline constexpr ErrorTemplate kUrlWithFragment{
    absl::StatusCode::kInvalidArgument, "WEBHOOK_URL_WITH_FRAGMENT",
    "the webhook's address has a fragment, which begins with \"#\": expected "
    "none"};
inline constexpr ErrorTemplate kUrlScheme{
    absl::StatusCode::kInvalidArgument, "WEBHOOK_URL_SCHEME",
    "the webhook's address begins with \"{scheme}\": expected https"};
inline constexpr ErrorTemplate kUrlPort{
    absl::StatusCode::kInvalidArgument, "WEBHOOK_URL_PORT",
    "the webhook's address has port {port}: expected 443"};
inline constexpr ErrorTemplate kUrlNotPublic{
    absl::StatusCode::kInvalidArgument, "WEBHOOK_URL_NOT_PUBLIC",
    "the webhook's address is not on the internet: expected a public address"};

// Calls of a webhook.
inline constexpr ErrorTemplate kWebhookRemoved{
    absl::StatusCode::kFailedPrecondition, "WEBHOOK_REMOVED",
    "the webhook was removed"};
inline constexpr ErrorTemplate kWebhookPaused{
    absl::StatusCode::kFailedPrecondition, "WEBHOOK_PAUSED",
    "your webhook is paused because it failed too often; save it again to "
    "resume"};
// One answer for a refused address and for every failed connection: it must not
// reveal internal addresses.
inline constexpr ErrorTemplate kWebhookUnreachable{
    absl::StatusCode::kUnavailable, "WEBHOOK_UNREACHABLE",
    "your webhook could not be reached"};
inline constexpr ErrorTemplate kWebhookGone{
    absl::StatusCode::kFailedPrecondition, "WEBHOOK_GONE",
    "your webhook returned HTTP 410 (gone)"};
inline constexpr ErrorTemplate kWebhookFailed{
    absl::StatusCode::kUnavailable, "WEBHOOK_FAILED",
    "your webhook returned HTTP {status}: expected 200 to 299"};

}  // namespace carme::backend::delivery_messages

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_MESSAGES_H_
