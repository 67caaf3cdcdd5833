#include "backend/jobs/agents/redeemed_tickets.h"

#include <catch2/catch.hpp>
#include <string>

#include "backend/jobs/agents/ticket_signer.h"
#include "common/encoding.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

class SteppedClock : public Clock {
 public:
  absl::Time Now() const override { return now; }
  absl::Time now = absl::FromUnixSeconds(1'800'000'000);
};

struct RedeemedTicketsSite {
  std::string Ticket() const {
    return *Base64UrlDecode(
        signer.MakeTicket({.job = JobId("j23456789abcdefg"),
                           .app = "jupyter",
                           .host_label = "j23456789abcdefg",
                           .session = SessionId("session-1"),
                           .user = "ada",
                           .expires_at = clock.now + absl::Hours(1)},
                          clock.now));
  }
  TempDir directory;
  SteppedClock clock;
  TicketSigner signer = TicketSigner::Open(directory.File("seed")).value();
  RedeemedTickets tickets{signer.PublicKey(), &clock};
};

TEST_CASE("redeemed tickets: refuses what the backend has not signed",
          "[jobs]") {
  RedeemedTicketsSite site;
  CHECK(absl::IsUnauthenticated(site.tickets.Redeem("")));
  std::string changed = site.Ticket();
  changed[20] ^= 1;
  CHECK(absl::IsUnauthenticated(site.tickets.Redeem(changed)));
  RedeemedTicketsSite other;
  CHECK(absl::IsUnauthenticated(site.tickets.Redeem(other.Ticket())));
}

TEST_CASE("redeemed tickets: refuses old tickets", "[jobs]") {
  RedeemedTicketsSite site;
  const std::string ticket = site.Ticket();
  site.clock.now += absl::Seconds(1);
  RedeemedTickets restarted(site.signer.PublicKey(), &site.clock);
  CHECK(absl::IsFailedPrecondition(restarted.Redeem(ticket)));
  site.clock.now += kTicketLife;
  CHECK(absl::IsUnauthenticated(site.tickets.Redeem(ticket)));
}

TEST_CASE("redeemed tickets: each works once", "[jobs]") {
  RedeemedTicketsSite site;
  const std::string first = site.Ticket(), second = site.Ticket();
  CHECK_THAT(site.tickets.Redeem(first), IsOk());
  CHECK(absl::IsFailedPrecondition(site.tickets.Redeem(first)));
  CHECK_THAT(site.tickets.Redeem(second), IsOk());
  site.clock.now += kTicketLife / 2;
  CHECK(absl::IsFailedPrecondition(site.tickets.Redeem(first)));
  CHECK(absl::IsFailedPrecondition(site.tickets.Redeem(second)));
}

}  // namespace
}  // namespace carme::backend
