// [mail] and [webhooks] of backend.toml.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_NOTIFICATIONS_CONFIG_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_NOTIFICATIONS_CONFIG_H_

#include "backend/notifications/delivery/smtp_sender.h"
#include "backend/notifications/delivery/webhook_sender.h"
#include "common/config/config.h"

namespace carme::backend {

// Both are disabled by default.
struct NotificationsConfig {
  MailConfig mail;
  WebhookConfig webhooks;
};

// Finish() reports invalid values.
void ReadNotificationsConfig(ConfigTable root, NotificationsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_NOTIFICATIONS_CONFIG_H_
