#include "proxy/access/ticket_verifier.h"

#include <optional>

#include "carme/v1/routes.pb.h"
#include "common/encoding.h"
#include "common/status.h"
#include "proxy/access/messages.h"

namespace carme::proxy {
namespace {

constexpr size_t kMaxTextBytes = 8192;
// A longer lifetime would fill the table of used tickets.

absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) +
         absl::Nanoseconds(time.nanos());
}

absl::Status Refused(const char* error) {
  return MakePlainError(proxy_access_messages::kTicketInvalid,
                        {{"cause", error}});
}

}  // namespace

absl::StatusOr<AccessGrantPtr> TicketVerifier::Redeem(std::string_view text,
                                                      const JobHost& host,
                                                      const VerifyingKey& key,
                                                      absl::Time now) {
  if (text.size() > kMaxTextBytes) return Refused("too long");
  std::optional<std::string> bytes = Base64UrlDecode(text);
  v1::Signed envelope;
  v1::Ticket ticket;
  if (!bytes || !envelope.ParseFromString(*bytes)) {
    return Refused("malformed");
  }
  if (!key.Verify(kTicketDomain, envelope.payload(), envelope.signature())) {
    return Refused("invalid signature");
  }
  if (!ticket.ParseFromString(envelope.payload()) ||
      ticket.id().size() != UsedTicketStore::kIdBytes) {
    return Refused("malformed");
  }
  const absl::Time issued = ToTime(ticket.issued_at());
  const absl::Time expires = ToTime(ticket.expires_at());
  if (expires <= now) return Refused("expired");
  if (expires - issued > kMaxTicketLifetime)
    return Refused("valid for too long");
  absl::StatusOr<AccessGrantPtr> access =
      ParseAccessGrant(ticket.grant(), &key);
  if (!access.ok()) return Refused("invalid grant");
  if ((*access)->host != host) return Refused("for another host");
  if ((*access)->expires <= now) return Refused("grant expired");
  RETURN_IF_ERROR(used_tickets_->MarkUsed(ticket.id(), issued, expires, now));
  return access;
}

}  // namespace carme::proxy
