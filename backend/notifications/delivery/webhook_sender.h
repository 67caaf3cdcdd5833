// Calls a user's webhook.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_SENDER_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_SENDER_H_

#include <atomic>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "backend/notifications/delivery/webhook_address.h"
#include "backend/notifications/outbox.h"
#include "backend/notifications/preferences.h"

namespace carme::backend {

// deploy/config/backend.toml explains each key of [webhooks].
struct WebhookConfig {
  bool offered = false;
  std::string ca_file;  // empty: certificate authorities of the system
  WebhookRules rules;
  int per_hour = 60;  // of each user; 1 to 1000
};

// Thread-safe.
class WebhookSender {
 public:
  // `stopping` must outlive the object.
  WebhookSender(WebhookConfig config, const std::atomic<bool>* stopping)
      : config_(std::move(config)), stopping_(stopping) {}

  // OK: status 2xx. FAILED_PRECONDITION: paused, status 410, or not allowed by
  // the current rules; UNAVAILABLE: retry; CANCELLED: the program stops. Blocks
  // for at most ten seconds.
  absl::Status Send(const Webhook& webhook, const OutboundMessage& message,
                    absl::Time now) const;

 private:
  const WebhookConfig config_;
  const std::atomic<bool>* const stopping_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_SENDER_H_
