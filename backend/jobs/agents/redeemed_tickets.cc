#include "backend/jobs/agents/redeemed_tickets.h"

#include "backend/jobs/agents/messages.h"
#include "carme/v1/routes.pb.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kTicketIdSize = 16;

absl::Time TimeOf(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) +
         absl::Nanoseconds(time.nanos());
}

}  // namespace

RedeemedTickets::RedeemedTickets(const std::string& public_key,
                                 const Clock* clock)
    : key_(VerifyingKey::FromRaw(public_key).value()),
      clock_(*clock),
      since_(clock->Now()) {}

absl::Status RedeemedTickets::Redeem(const std::string& signed_ticket) {
  v1::Signed envelope;
  v1::Ticket ticket;
  if (!envelope.ParseFromString(signed_ticket) ||
      !key_.Verify(kTicketDomain, envelope.payload(), envelope.signature()) ||
      !ticket.ParseFromString(envelope.payload()) ||
      ticket.id().size() != kTicketIdSize) {
    return MakeError(job_agent_messages::kTicketInvalid);
  }
  const absl::Time now = clock_.Now();
  const absl::Time expires = TimeOf(ticket.expires_at());
  if (expires <= now) return MakeError(job_agent_messages::kTicketExpired);
  if (TimeOf(ticket.issued_at()) < since_) {
    return MakeError(job_agent_messages::kTicketTooOld);
  }
  const absl::MutexLock lock(&mutex_);
  DeleteExpired(now);
  if (ids_.contains(ticket.id())) {
    return MakeError(job_agent_messages::kTicketUsed);
  }
  if (ids_.size() >= kMaxRedeemedTickets) {
    return MakeError(job_agent_messages::kTooManyTickets);
  }
  ids_.insert(ticket.id());
  by_expiry_.emplace(expires, ticket.id());
  return absl::OkStatus();
}

void RedeemedTickets::DeleteExpired(absl::Time now) {
  while (!by_expiry_.empty() && by_expiry_.begin()->first <= now) {
    ids_.erase(by_expiry_.begin()->second);
    by_expiry_.erase(by_expiry_.begin());
  }
}

}  // namespace carme::backend
