// The response to a valid ticket, as soon as the backend has redeemed it.
#ifndef CARME_PROXY_ROUTING_TICKET_REDEMPTION_H_
#define CARME_PROXY_ROUTING_TICKET_REDEMPTION_H_

#include <string>

#include "absl/time/time.h"
#include "common/net/task.h"
#include "proxy/access/access_grant.h"
#include "proxy/state/loop_state.h"
#include "proxy/telemetry/request_log.h"

namespace carme::proxy {

// Owns what it needs of the request: others of its connection may follow.
struct TicketRedemption {
  std::string signed_ticket;
  AccessGrantPtr access;
  std::string prefix;  // of the target, with path-based routing
  std::string request_id;
  std::string client;
  bool page = false;
  bool closing = false;
  RequestRecord record{};
};

// Waits for the backend, then writes the response to LoopState::out().
net::Task<void> AnswerTicket(LoopState& state, TicketRedemption& redemption);

// Writes the response that opens the app, without the backend.
void AppendTicketAccepted(LoopState& state, TicketRedemption& redemption);

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTING_TICKET_REDEMPTION_H_
