// The body of a webhook call, and its signature. Pure.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_BODY_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_BODY_H_

#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "backend/notifications/outbox.h"

namespace carme::backend {

// The public id of the message, the same for each attempt.
std::string DeliveryIdOf(const OutboundMessage& message);

// JSON: {"delivery", "notifications": [{"id", "at", "kind", "subject",
// "text"}]}.
std::string WebhookBody(const OutboundMessage& message);

// "v1=" and 64 hexadecimal digits: HMAC-SHA256 with `secret` of the Unix time
// in seconds, a dot, the delivery id, a dot, and the body.
std::string SignatureOf(std::string_view secret, absl::Time now,
                        std::string_view delivery, std::string_view body);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_BODY_H_
