// What is sent to a webhook, and its signature. Pure.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_BODY_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_BODY_H_

#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "backend/notifications/outbox.h"

namespace carme::backend {

// The message's id outside of this program: the same for the same message.
std::string DeliveryIdOf(const OutboundMessage& message);

// JSON: {"delivery", "notifications": [{"id", "at", "kind", "subject",
// "text"}]}.
std::string WebhookBody(const OutboundMessage& message);

// "v1=" and 64 hexadecimal digits: HMAC-SHA256 by `secret` of the seconds since
// 1970, a dot, the delivery's id, a dot, the body.
std::string SignatureOf(std::string_view secret, absl::Time now,
                        std::string_view delivery, std::string_view body);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_BODY_H_
