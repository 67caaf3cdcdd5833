// The messages of the tables of notifications (common/message.h).
#ifndef CARME_BACKEND_NOTIFICATIONS_MESSAGES_H_
#define CARME_BACKEND_NOTIFICATIONS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::notification_messages {

inline constexpr TextTemplate kTestByMail{
    "NOTIFICATION_TEST_BY_MAIL",
    "This is a test of your notifications by e-mail."};
inline constexpr TextTemplate kTestByWebhook{
    "NOTIFICATION_TEST_BY_WEBHOOK",
    "This is a test of your notifications by webhook."};
inline constexpr ErrorTemplate kTestTooOften{
    absl::StatusCode::kResourceExhausted, "NOTIFICATION_TEST_TOO_OFTEN",
    "a test was sent less than a minute ago; try again later"};

}  // namespace carme::backend::notification_messages

#endif  // CARME_BACKEND_NOTIFICATIONS_MESSAGES_H_
