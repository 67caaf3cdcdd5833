// Which addresses webhooks may call. A user names them, and the backend, which
// can reach what no user can, calls: so what is not plainly a stranger's is
// refused.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_ADDRESS_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_ADDRESS_H_

#include <sys/socket.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/notifications/delivery/network.h"

namespace carme::backend {

struct WebhookRules {
  // "host:port" of the site's own, in small letters: they may be plain http,
  // and have private addresses and this host's.
  std::vector<std::string> internal;
  // Networks of the site with public addresses: nobody's webhooks.
  std::vector<Network> refused;
};

struct WebhookTarget {
  std::string url;  // as it is called
  std::string host;
  bool internal = false;
};

// https, a host name or a public address, port 443, or one of the site's own;
// no user, no password, no fragment. INVALID_ARGUMENT: what is wrong, in words.
// The name is not looked up: its addresses are judged when it is called.
absl::StatusOr<WebhookTarget> JudgeWebhook(const std::string& url,
                                           const WebhookRules& rules);

// Whether a connection to this address may be made for it. Of what a name was
// looked up to, at the moment of the connection: no second look can differ.
bool MayReach(const sockaddr* address, bool internal,
              const WebhookRules& rules);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_WEBHOOK_ADDRESS_H_
