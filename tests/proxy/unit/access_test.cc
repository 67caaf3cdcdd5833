// Tickets, cookies and routes.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "carme/v1/routes.pb.h"
#include "common/encoding.h"
#include "common/file.h"
#include "common/random.h"
#include "proxy/access/access_grant.h"
#include "proxy/access/grant_cookie.h"
#include "proxy/access/ticket_verifier.h"
#include "proxy/config/proxy_config.h"
#include "proxy/control/route_table.h"
#include "proxy/control/route_watcher.h"
#include "tests/common/net/test_ca.h"
#include "tests/proxy/fixtures/grants.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::proxy {
namespace {

using testing::GrantMaker;

const JobId kJob("j23456789abcdefg");
const JobId kOther("k23456789abcdefg");
const JobHost kHost = {kJob, "j23456789abcdefg"};
const JobHost kCode = {kJob, "j23456789abcdefg-code"};
constexpr char kLabel[] = "j23456789abcdefg";
constexpr char kOtherLabel[] = "j23456789abcdefg-code";
const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

TEST_CASE("ticket: rejects invalid tickets", "[proxy]") {
  GrantMaker maker, stranger;
  VerifyingKey key = *VerifyingKey::FromRaw(maker.public_key());
  TicketVerifier office(
      std::make_unique<UsedTicketStore>(kNow - absl::Minutes(1)));
  auto refused = [&](const std::string& text, const char* name) {
    INFO(name);
    CHECK_THAT(office.Redeem(text, kHost, key, kNow),
               StatusIs(absl::StatusCode::kUnauthenticated));
  };
  const std::string grant = maker.Grant(kJob, "s1", kNow + absl::Hours(1));
  auto ticket = [&](absl::Time issued, absl::Time expires,
                    const std::string& inner) {
    return maker.Ticket(inner, issued, expires);
  };
  const absl::Time soon = kNow + absl::Seconds(30);

  refused("", "empty");
  refused("!!", "no base64");
  refused("AAAA", "no message");
  refused(std::string(9000, 'A'), "too long");
  refused(stranger.Ticket(grant, kNow, soon), "signed by a stranger");
  refused(ticket(kNow, soon, stranger.Grant(kJob, "s", soon)),
          "its grant signed by a stranger");
  refused(ticket(kNow - absl::Seconds(40), kNow, grant), "expired");
  refused(ticket(kNow - absl::Minutes(2), soon, grant), "before the start");
  refused(ticket(kNow, kNow + absl::Minutes(6), grant), "lives too long");
  refused(ticket(kNow, soon, maker.Grant(kOther, "s1", soon)),
          "for another job");
  refused(ticket(kNow, soon, maker.Grant(kCode, "s1", soon)),
          "for another app of the job");
  refused(ticket(kNow, soon, maker.Grant(JobHost{kOther, kLabel}, "s1", soon)),
          "for another job on this host");
  refused(ticket(kNow, soon, maker.Grant(kJob, "s1", kNow)),
          "its grant expired");
  refused(ticket(kNow, soon, maker.Grant(kJob, "s1", soon, "look")),
          "without the right");
  refused(ticket(kNow, soon, "x"), "no grant in it");
  // A grant is signed with the same key for another purpose.
  refused(Base64UrlEncode(grant), "a grant for a ticket");

  std::string good = ticket(kNow, soon, grant);
  for (size_t i = 0; i < good.size(); i += 7) {
    std::string bent = good;
    bent[i] = bent[i] == 'A' ? 'B' : 'A';
    refused(bent, "a changed character");
  }
  auto access = office.Redeem(good, kHost, key, kNow);
  REQUIRE_THAT(access, IsOk());
  CHECK((*access)->user == "ada");
  CHECK((*access)->session.value() == "s1");
  refused(good, "used already");
}

TEST_CASE("job cookie: opens on its own host and with its key only",
          "[proxy]") {
  GrantCookieSealer seal(RandomBytes(32)), stranger(RandomBytes(32));
  const std::string value = seal.Seal(kLabel, "the grant");
  CHECK(seal.Seal(kLabel, "the grant") != value);
  CHECK(*seal.Open(kLabel, value) == "the grant");
  CHECK_FALSE(seal.Open(kOtherLabel, value).ok());
  CHECK_FALSE(stranger.Open(kLabel, value).ok());
  CHECK_FALSE(seal.Open(kLabel, "").ok());
  CHECK_FALSE(seal.Open(kLabel, value + "AAAA").ok());
  CHECK_FALSE(seal.Open(kLabel, value.substr(4)).ok());
  CHECK_FALSE(seal.Open(kLabel, std::string(20000, 'A')).ok());
  for (size_t i = 0; i < value.size(); ++i) {
    std::string bent = value;
    bent[i] = bent[i] == 'A' ? 'B' : 'A';
    CHECK_FALSE(seal.Open(kLabel, bent).ok());
  }
  // An error leaves no state behind.
  CHECK(*seal.Open(kLabel, value) == "the grant");
}

TEST_CASE("job cookie: the key is created once, with private access",
          "[proxy]") {
  TempDir directory;
  auto made = LoadOrCreateCookieKey(directory.path());
  REQUIRE_THAT(made, IsOk());
  CHECK(*LoadOrCreateCookieKey(directory.path()) == *made);
  const std::string file = directory.path() + "/cookie.key";
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  CHECK_FALSE(LoadOrCreateCookieKey(directory.path()).ok());
  for (const std::string& broken : {std::string("abc"), std::string(64, 'x'),
                                    std::string(66, 'a'), std::string()}) {
    REQUIRE_THAT(WriteFile(file, broken, 0600), IsOk());
    CHECK_FALSE(LoadOrCreateCookieKey(directory.path()).ok());
  }
  CHECK_FALSE(LoadOrCreateCookieKey(directory.path() + "/none").ok());
}

AccessGrantPtr AccessOf(const JobId& job, const std::string& session) {
  GrantMaker maker;
  VerifyingKey key = *VerifyingKey::FromRaw(maker.public_key());
  return *ParseAccessGrant(maker.Grant(job, session, kNow + absl::Hours(1)),
                           &key);
}

TEST_CASE("routes: allow only unchanged routes, sessions and valid grants",
          "[proxy]") {
  net::Address agent = *net::Address::Parse("10.77.0.11:34000");
  net::Address moved = *net::Address::Parse("10.77.0.12:34000");
  AccessGrantPtr access = AccessOf(kJob, "s1");
  RouteTable table;
  CHECK_FALSE(table.complete());
  CHECK_FALSE(table.Admits(*access, agent, kNow));

  RouteUpdate snapshot;
  snapshot.snapshot = true;
  snapshot.routes = {{kJob, agent}, {kOther, agent}};
  table.Apply(snapshot, kNow);
  CHECK(table.Admits(*access, agent, kNow));
  CHECK_FALSE(table.Admits(*access, moved, kNow));
  CHECK_FALSE(table.Admits(*access, agent, kNow + absl::Hours(1)));

  RouteUpdate revoked;
  revoked.revoked = {{SessionId("s1"), kNow + absl::Minutes(1)}};
  table.Apply(revoked, kNow);
  CHECK_FALSE(table.Admits(*access, agent, kNow));
  CHECK(table.Admits(*AccessOf(kJob, "s2"), agent, kNow));
  // It may be removed once every grant of the session has expired.
  table.Apply(RouteUpdate(), kNow + absl::Minutes(2));
  CHECK_FALSE(table.IsRevoked(SessionId("s1")));

  RouteUpdate removed;
  removed.removed = {kJob};
  table.Apply(removed, kNow);
  CHECK(table.Find(kJob) == nullptr);
  CHECK(table.Find(kOther) != nullptr);
}

TEST_CASE("route update: rejects invalid messages", "[proxy]") {
  GrantMaker maker;
  testing::TestCa ca("job ca");
  testing::TestIdentity own = ca.Issue({"carme-proxy"});
  auto convert = [&](const v1::WatchRoutesResponse& message) {
    return ToRouteUpdate(message, own.certificate_pem, own.key_pem).status();
  };
  v1::WatchRoutesResponse good;
  good.set_snapshot(true);
  good.mutable_keys()->set_ticket_public_key(maker.public_key());
  good.mutable_keys()->set_job_ca_pem(ca.certificate_pem());
  v1::Route* route = good.add_routes();
  route->set_job_id(kJob.value());
  route->set_address("10.77.0.11");
  route->set_port(34000);
  CHECK_THAT(convert(good), IsOk());

  v1::WatchRoutesResponse bad = good;
  bad.mutable_routes(0)->set_job_id("../etc");
  CHECK_FALSE(convert(bad).ok());
  bad = good;
  bad.mutable_routes(0)->set_address("localhost");
  CHECK_FALSE(convert(bad).ok());
  bad = good;
  bad.mutable_routes(0)->set_port(70000);
  CHECK_FALSE(convert(bad).ok());
  bad = good;
  bad.clear_keys();
  CHECK_FALSE(convert(bad).ok());
  bad = good;
  bad.mutable_keys()->set_job_ca_pem("x");
  CHECK_FALSE(convert(bad).ok());
  bad = good;
  bad.mutable_keys()->set_ticket_public_key("x");
  CHECK_FALSE(convert(bad).ok());
}

TEST_CASE("config: accepts the example, rejects invalid values", "[proxy]") {
  auto example = ProxyConfig::Load(std::string(CARME_SOURCE) +
                                   "/deploy/config/proxy.toml");
  INFO(example.status());
  REQUIRE_THAT(example, IsOk());
  CHECK(example->Warnings().empty());
  TempDir directory;
  const std::string path = directory.path() + "/proxy.toml";
  REQUIRE_THAT(WriteFile(path,
                         "portal_host = \"x.jobs\"\njobs_domain = \"jobs\"\n"
                         "loops = -1\nunknown = 1\nagents_listen = \"8444\"\n",
                         0600),
               IsOk());
  absl::Status status = ProxyConfig::Load(path).status();
  for (const char* part : {"lies in jobs_domain", "out of range", "unknown",
                           "\"certificate\" is missing", "\"agents_listen\"",
                           "an IP address and a port"}) {
    INFO(part << " in " << status);
    CHECK(std::string(status.message()).find(part) != std::string::npos);
  }
}

TEST_CASE("config: warns about a shared registrable domain", "[proxy]") {
  const auto warning = [](const std::string& portal, const std::string& domain,
                          const std::string& host) {
    ProxyConfig config;
    config.portal_host = portal;
    config.jobs_domain = domain;
    config.jobs_host = host;
    const std::vector<std::string> all = config.Warnings();
    return all.empty() ? "" : all.front();
  };
  const std::string shared =
      warning("carme.example.org:8443", "jobs.carme-apps.example.org", "");
  CHECK(shared.find("share the registrable domain \"example.org\"") !=
        std::string::npos);
  CHECK_FALSE(warning("carme.a.ac.uk", "jobs.a.ac.uk", "").empty());
  CHECK_FALSE(warning("carme.a.org", "", "carme-jobs.a.org").empty());
  CHECK(warning("carme.example.org", "jobs.example.net", "").empty());
  CHECK(warning("carme.example.org", "", "jobs.example.net").empty());
  // Neighbours below a public suffix.
  CHECK(warning("carme.a.ac.uk", "jobs.b.ac.uk", "").empty());
  // A jobs domain that is on the public suffix list itself.
  CHECK(warning("carme.uk", "co.uk", "").empty());
}

}  // namespace
}  // namespace carme::proxy
