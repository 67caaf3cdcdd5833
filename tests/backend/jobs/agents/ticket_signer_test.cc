#include "backend/jobs/agents/ticket_signer.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>

#include "carme/v1/routes.pb.h"
#include "common/encoding.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

TEST_CASE("ticket signer: refuses a seed that is invalid or readable by others",
          "[jobs]") {
  TempDir directory;
  const std::string path = directory.File("seed");
  REQUIRE_THAT(WriteFile(path, "c2hvcnQ\n", 0600), IsOk());
  CHECK(absl::IsInvalidArgument(TicketSigner::Open(path).status()));
  REQUIRE(chmod(path.c_str(), 0604) == 0);
  CHECK(absl::IsPermissionDenied(TicketSigner::Open(path).status()));
}

TEST_CASE("ticket signer: has the same key after a restart", "[jobs]") {
  TempDir directory;
  const std::string path = directory.File("seed");
  const std::string key = TicketSigner::Open(path)->PublicKey();
  CHECK(key.size() == 32);
  CHECK(TicketSigner::Open(path)->PublicKey() == key);
}

TEST_CASE("ticket signer: the cookie key is the seed's alone", "[jobs]") {
  TempDir directory;
  const std::string path = directory.File("seed");
  const std::string key = TicketSigner::Open(path)->CookieKey();
  CHECK(key.size() == 32);
  CHECK(TicketSigner::Open(path)->CookieKey() == key);
  CHECK(TicketSigner::Open(directory.File("other"))->CookieKey() != key);
}

TEST_CASE("ticket signer: signs the ticket and, apart, its grant", "[jobs]") {
  TempDir directory;
  const TicketSigner signer =
      TicketSigner::Open(directory.File("seed")).value();
  const VerifyingKey key = VerifyingKey::FromRaw(signer.PublicKey()).value();
  const GrantedUse use{.job = JobId("abcdefghijklmnop"),
                       .app = "jupyter",
                       .host_label = "abcdefghijklmnop",
                       .session = SessionId("s"),
                       .user = "ada",
                       .expires_at = kNow + absl::Hours(1)};
  const std::string text = signer.MakeTicket(use, kNow);
  CHECK(signer.MakeTicket(use, kNow) != text);  // each has its own id
  v1::Signed outer, inner;
  v1::Ticket ticket;
  v1::Grant grant;
  REQUIRE(outer.ParseFromString(*Base64UrlDecode(text)));
  CHECK(key.Verify(kTicketDomain, outer.payload(), outer.signature()));
  CHECK_FALSE(key.Verify(kGrantDomain, outer.payload(), outer.signature()));
  REQUIRE(ticket.ParseFromString(outer.payload()));
  CHECK(ticket.id().size() == 16);
  CHECK(ticket.expires_at().seconds() - ticket.issued_at().seconds() == 30);
  REQUIRE(inner.ParseFromString(ticket.grant()));
  CHECK(key.Verify(kGrantDomain, inner.payload(), inner.signature()));
  REQUIRE(grant.ParseFromString(inner.payload()));
  CHECK(grant.job_id() == "abcdefghijklmnop");
  CHECK(grant.app() == "jupyter");
  CHECK(grant.session_id() == "s");
  CHECK(grant.user() == "ada");
  CHECK(grant.rights(0) == "use");
  CHECK(grant.expires_at().seconds() == 1'800'003'600);
}

}  // namespace
}  // namespace carme::backend
