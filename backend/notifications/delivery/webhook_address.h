// Which addresses webhooks may call. Users choose the addresses, and the
// backend can reach hosts that users cannot, so everything except public
// addresses and configured hosts is rejected (server-side request forgery).
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_ADDRESS_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_ADDRESS_H_

#include <sys/socket.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/notifications/delivery/network.h"

namespace carme::backend {

struct WebhookRules {
  // "host:port" of internal hosts, in lower case: plain http and private or
  // local addresses are allowed.
  std::vector<std::string> internal;
  // Public networks of the site: not allowed for webhooks.
  std::vector<Network> denied;
};

struct WebhookTarget {
  std::string url;  // normalized
  std::string host;
  bool internal = false;
};

// Accepts https with a host name or public address and port 443, or an internal
// host; without user, password and fragment. INVALID_ARGUMENT with a message
// for the user. Does not resolve the name: MayReach checks the addresses at
// each call.
absl::StatusOr<WebhookTarget> ValidateWebhook(const std::string& url,
                                              const WebhookRules& rules);

// Whether a connection to this resolved address is allowed. Called for the
// address of the connection itself, so that a second DNS lookup cannot differ.
bool MayReach(const sockaddr* address, bool internal,
              const WebhookRules& rules);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_ADDRESS_H_
