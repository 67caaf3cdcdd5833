// One-time tickets: checked, burned, turned into an Access.
#ifndef CARME_PROXY_TICKET_OFFICE_H_
#define CARME_PROXY_TICKET_OFFICE_H_

#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "common/signature.h"
#include "proxy/access.h"

namespace carme::proxy {

// Thread-safe: all loops share it, or a ticket would work once a loop.
class TicketOffice {
 public:
  // `opened`: what was burned before this start is forgotten, so tickets from
  // before it are refused.
  explicit TicketOffice(absl::Time opened) : opened_(opened) {}

  // `text` is the base64url of a Signed with a Ticket, as it stands in the
  // address. Burns the ticket only when everything else about it is right.
  // UNAUTHENTICATED: forged, expired, used, from before the start, for another
  // host; the message says which, for the log. RESOURCE_EXHAUSTED: too many
  // tickets at once.
  absl::StatusOr<AccessPtr> Redeem(std::string_view text, const JobHost& host,
                                   const VerifyingKey& key, absl::Time now);

 private:
  absl::Status Burn(const std::string& id, absl::Time expires, absl::Time now);

  const absl::Time opened_;
  std::mutex mutex_;
  // Until when an id must be remembered; guarded by mutex_.
  absl::flat_hash_map<std::string, absl::Time> burned_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TICKET_OFFICE_H_
