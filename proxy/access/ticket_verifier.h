// Verifies one-time tickets and exchanges them for grants.
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

// Thread-safe. All loops share one, so that a ticket works once.
class TicketVerifier {
 public:
  explicit TicketVerifier(std::unique_ptr<UsedTicketStore> used_tickets)
      : used_tickets_(std::move(used_tickets)) {}

  // `text` is the base64url of a Signed with a Ticket, as in the URL. Marks the
  // ticket as used only if everything else is valid. UNAUTHENTICATED: forged,
  // expired, used, issued before the table was created, or for another host;
  // the message for the log has the reason. RESOURCE_EXHAUSTED: too many
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
