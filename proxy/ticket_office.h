// One-time tickets: checked, burned, turned into an Access.
#ifndef CARME_PROXY_TICKET_OFFICE_H_
#define CARME_PROXY_TICKET_OFFICE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "common/signature.h"
#include "proxy/access.h"
#include "proxy/burned_tickets.h"

namespace carme::proxy {

// Thread-safe: all loops share it, or a ticket would work once a loop.
class TicketOffice {
 public:
  explicit TicketOffice(std::unique_ptr<BurnedTickets> burned)
      : burned_(std::move(burned)) {}

  // `text` is the base64url of a Signed with a Ticket, as it stands in the
  // address. Burns the ticket only when everything else about it is right.
  // UNAUTHENTICATED: forged, expired, used, from before the table, for another
  // host; the message says which, for the log. RESOURCE_EXHAUSTED: too many
  // tickets at once.
  absl::StatusOr<AccessPtr> Redeem(std::string_view text, const JobHost& host,
                                   const VerifyingKey& key, absl::Time now);

 private:
  const std::unique_ptr<BurnedTickets> burned_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TICKET_OFFICE_H_
