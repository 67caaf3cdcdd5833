// Makes a ticket work once at all proxies together.
#ifndef CARME_PROXY_ACCESS_TICKET_REDEEMER_H_
#define CARME_PROXY_ACCESS_TICKET_REDEEMER_H_

#include <functional>
#include <string>

#include "absl/status/status.h"

namespace carme::proxy {

// Thread-safe.
class TicketRedeemer {
 public:
  using OnResult = std::function<void(const absl::Status&)>;

  virtual ~TicketRedeemer() = default;

  // Marks the ticket, a serialized Signed, as used; never blocks. `done` is
  // called once, on any thread. OK: it was not used before at any proxy.
  virtual void Redeem(std::string signed_ticket, OnResult done) = 0;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ACCESS_TICKET_REDEEMER_H_
