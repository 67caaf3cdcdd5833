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
  std::string ca_file;  // empty: the system's authorities
  WebhookRules rules;
  int per_hour = 60;  // of each user; 1 to 1000
};

// Thread-safe.
class WebhookSender {
 public:
  // `stopping` outlives this.
  WebhookSender(WebhookConfig config, const std::atomic<bool>* stopping)
      : config_(std::move(config)), stopping_(stopping) {}

  // OK: it answered 2xx. FAILED_PRECONDITION: it is paused, gone (410), or not
  // called by the rules of today; UNAVAILABLE: try again; CANCELLED: the
  // program stops. Blocks for ten seconds at most.
  absl::Status Send(const Webhook& webhook, const OutboundMessage& message,
                    absl::Time now) const;

 private:
  const WebhookConfig config_;
  const std::atomic<bool>* const stopping_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_SENDER_H_
