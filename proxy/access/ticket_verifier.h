// One-time tickets: checked, burned, turned into an Access.
#ifndef CARME_PROXY_ACCESS_TICKET_VERIFIER_H_
#define CARME_PROXY_ACCESS_TICKET_VERIFIER_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/crypto/signature.h"
#include "common/ids.h"
#include "proxy/access/access_grant.h"
#include "proxy/access/used_ticket_store.h"

namespace carme::proxy {

// Thread-safe: all loops share it, or a ticket would work once a loop.
class TicketVerifier {
 public:
  explicit TicketVerifier(std::unique_ptr<UsedTicketStore> used_tickets)
      : used_tickets_(std::move(used_tickets)) {}

  // `text` is the base64url of a Signed with a Ticket, as it stands in the
  // address. Burns the ticket only when everything else about it is right.
  // UNAUTHENTICATED: forged, expired, used, from before the table, for another
  // host; the message says which, for the log. RESOURCE_EXHAUSTED: too many
  // tickets at once.
  absl::StatusOr<AccessGrantPtr> Redeem(std::string_view text,
                                        const JobHost& host,
                                        const VerifyingKey& key,
                                        absl::Time now);

 private:
  const std::unique_ptr<UsedTicketStore> used_tickets_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ACCESS_TICKET_VERIFIER_H_
