// Path-based routing: all jobs on one host, each below its prefix.
#include <catch2/catch.hpp>

#include "tests/proxy/fixtures/http2_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

const std::string kMine = "/" + kJob.value();
const std::string kOthers = "/" + kOtherJob.value();
const std::string kOrigin = std::string("https://") + kAllJobsHost;

// Two jobs, each with its agent and app.
struct PathFixture : ProxyFixture {
  PathFixture()
      : ProxyFixture([](proxy::ProxyConfig& changed) {
          changed.jobs_domain.clear();
          changed.jobs_host = kAllJobsHost;
        }) {
    v1::WatchRoutesResponse change;
    v1::Route* route = change.add_routes();
    route->set_job_id(kOtherJob.value());
    route->set_address("127.0.0.1");
    route->set_port(static_cast<uint32_t>(other_agent.port()));
    backend->Push(change);
    cookie = Open(kMine);
    const std::string known = Open(kOthers);
    CHECK(WaitForLoops(
        [&] { return Get(kOthers + "/echo", known).status == 200; }));
    CHECK(Get(kMine + "/echo", cookie).status == 200);
  }

  std::string TicketFor(const std::string& prefix, bool keeps_prefix = false) {
    const std::string label = prefix.substr(1);
    const proxy::JobHost host{JobId(label.substr(0, label.find('-'))), label};
    const absl::Time now = clock.Now();
    return grants.Ticket(grants.Grant(host, "session-1", now + absl::Hours(1),
                                      "use", keeps_prefix),
                         now, now + absl::Seconds(30));
  }
  TestResponse Redeem(const std::string& prefix, const std::string& ticket) {
    auto client = Connect(kAllJobsHost);
    return client->Ask(Request(
        "GET " + prefix + "/.carme/open?ticket=" + ticket, kAllJobsHost));
  }
  // The Cookie field's value.
  std::string Open(const std::string& prefix, bool keeps_prefix = false) {
    const TestResponse opened = Redeem(prefix, TicketFor(prefix, keeps_prefix));
    CHECK(opened.status == 303);
    const std::string set = opened.Value("Set-Cookie");
    return set.substr(0, set.find(';'));
  }
  TestResponse Get(const std::string& target, const std::string& with,
                   const std::string& fields = "") {
    auto client = Connect(kAllJobsHost);
    return client->Ask(Request("GET " + target, kAllJobsHost,
                               "Cookie: " + with + "\r\n" + fields));
  }

  EchoApp other_app;
  FakeAgent other_agent{kOtherJob, job_ca, site_ca, grants.public_key(),
                        other_app.port()};
};

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("path routing: unknown prefixes get 404", "[proxy]") {
  PathFixture fixture;
  const int before = fixture.app.requests() + fixture.other_app.requests();
  for (const std::string& target :
       {std::string("/"), std::string("/echo"), kMine, kMine + "?x=/",
        "/" + kMine + "/echo", "/J" + kMine.substr(2) + "/echo",
        "/%6a" + kMine.substr(2) + "/echo", kMine + "%2fecho",
        "/." + kMine + "/echo", "/x/.." + kMine + "/echo", kMine + "-/echo"}) {
    INFO(target);
    CHECK(fixture.Get(target, fixture.cookie).status == 404);
  }
  // Hosts of jobs are unknown here; the portal has another host.
  auto client = fixture.Connect(kAllJobsHost);
  for (const char* host : {kJobHost, kPortalHost, "jobs.test"}) {
    CHECK(client->Ask(Request("GET " + kMine + "/echo", host)).status == 421);
  }
  CHECK(fixture.app.requests() + fixture.other_app.requests() == before);
  auto portal = fixture.Connect(kPortalHost);
  CHECK(portal->Ask(Request("GET " + kMine + "/echo", kPortalHost))
            .body.find("GET " + kMine + "/echo") == 0);
}

TEST_CASE("path routing: a cookie is valid for its own prefix only",
          "[proxy]") {
  PathFixture fixture;
  const int before = fixture.other_app.requests();
  for (const std::string& target : {kOthers + "/echo", kMine + "-code/echo",
                                    kOthers + "/.." + kMine + "/"}) {
    INFO(target);
    CHECK(fixture.Get(target, fixture.cookie).status == 401);
  }
  // The cookie name of host-based routing.
  CHECK(fixture
            .Get(kMine + "/echo",
                 "__Host-carme-job=" +
                     fixture.cookie.substr(fixture.cookie.find('=') + 1))
            .status == 401);
  // A path that leaves its prefix stays with its job.
  const TestResponse climbed =
      fixture.Get(kMine + "/.." + kOthers + "/echo", fixture.cookie);
  CHECK(Has(climbed.body, "GET /.." + kOthers + "/echo HTTP/1.1\r\n"));
  const TestResponse coded =
      fixture.Get(kMine + "/%2e%2e" + kOthers + "/echo", fixture.cookie);
  CHECK(Has(coded.body, "GET /%2e%2e" + kOthers + "/echo HTTP/1.1\r\n"));
  CHECK(fixture.other_app.requests() == before);
}

TEST_CASE("path routing: a ticket works once, for one prefix", "[proxy]") {
  PathFixture fixture;
  const std::string ticket = fixture.TicketFor(kMine);
  CHECK(fixture.Redeem(kOthers, ticket).status == 403);
  CHECK(fixture.Redeem(kMine + "-code", ticket).status == 403);
  CHECK(fixture.Redeem("", ticket).status == 404);
  const TestResponse opened = fixture.Redeem(kMine, ticket);
  CHECK(opened.status == 303);
  CHECK(opened.Value("Location") == kMine + "/");
  const std::string set = opened.Value("Set-Cookie");
  CHECK(set.find("__Secure-carme-job=") == 0);
  for (const std::string& part :
       {"; Path=" + kMine + "/;", std::string("; Secure"),
        std::string("; HttpOnly"), std::string("; SameSite=Lax")}) {
    CHECK(Has(set + ";", part));
  }
  CHECK_FALSE(Has(set, "Domain"));
  CHECK(fixture.Redeem(kMine, ticket).status == 403);
}

TEST_CASE("path routing: cross-origin requests do not reach the app",
          "[proxy]") {
  PathFixture fixture;
  const int before = fixture.app.requests();
  auto ask = [&](const std::string& line, const std::string& fields) {
    auto client = fixture.Connect(kAllJobsHost);
    return client
        ->Ask(Request(line, kAllJobsHost,
                      "Cookie: " + fixture.cookie + "\r\n" + fields))
        .status;
  };
  const std::string websocket =
      "Connection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: ";
  CHECK(ask("POST " + kMine + "/echo", "Sec-Fetch-Site: same-site\r\n") == 403);
  CHECK(ask("POST " + kMine + "/echo", "Origin: https://portal.test\r\n") ==
        403);
  CHECK(ask("GET " + kMine + "/ws", websocket + "https://portal.test\r\n") ==
        403);
  // With this job's cookie to another's prefix.
  CHECK(ask("GET " + kOthers + "/ws", websocket + kOrigin + "\r\n") == 401);
  CHECK(fixture.app.requests() == before);
  CHECK(ask("GET " + kMine + "/ws", websocket + kOrigin + "\r\n") == 101);
}

TEST_CASE("path routing: the prefix is removed for apps that do not know it",
          "[proxy]") {
  PathFixture fixture;
  const std::string fields =
      "X-Forwarded-Prefix: /evil\r\nCookie: __Host-carme=token; app=1\r\n";
  const std::string cut =
      fixture.Get(kMine + "/echo?a=/b", fixture.cookie, fields).body;
  CHECK(cut.find("GET /echo?a=/b HTTP/1.1\r\n") == 0);
  CHECK(Has(cut, "X-Forwarded-Prefix: " + kMine + "\r\n"));
  CHECK(Has(cut, std::string("X-Forwarded-Host: ") + kAllJobsHost + "\r\n"));
  CHECK(Has(cut, "Cookie: app=1\r\n"));
  const std::string root = fixture.Get(kMine + "/", fixture.cookie).body;
  CHECK(root.find("GET / HTTP/1.1\r\n") == 0);

  const std::string whole =
      fixture.Get(kMine + "/echo?a=/b", fixture.Open(kMine, true), fields).body;
  CHECK(whole.find("GET " + kMine + "/echo?a=/b HTTP/1.1\r\n") == 0);
  CHECK_FALSE(Has(whole, "X-Forwarded-Prefix"));
  for (const std::string& seen : {cut, root, whole}) {
    for (const char* gone : {"carme", "evil", "token"}) {
      INFO(gone << " in " << seen);
      CHECK_FALSE(Has(seen, gone));
    }
  }
}

void CheckPlaces(const std::string& location, const std::string& cookie,
                 const std::string& scope) {
  CHECK(location == kMine + "/lab?x");
  CHECK(cookie == "own=1; Path=" + kMine + "/");
  CHECK(scope == kMine + "/");
}

TEST_CASE("path routing: a response affects no other app", "[proxy]") {
  PathFixture fixture;
  const TestResponse old = fixture.Get(kMine + "/places", fixture.cookie);
  CHECK(old.status == 302);
  CheckPlaces(old.Value("Location"), old.Value("Set-Cookie"),
              old.Value("Service-Worker-Allowed"));
  CHECK_FALSE(Has(old.head, "planted"));
  CHECK_FALSE(Has(old.head, "NEL"));
  Http2Client client(fixture.port, fixture.ClientOptions(kAllJobsHost), {});
  const Http2Answer& answer = client.Ask({{":method", "GET"},
                                          {":scheme", "https"},
                                          {":authority", kAllJobsHost},
                                          {":path", kMine + "/places"},
                                          {"cookie", fixture.cookie}});
  CHECK(answer.status == 302);
  CheckPlaces(answer.Value("location"), answer.Value("set-cookie"),
              answer.Value("service-worker-allowed"));
  for (const auto& [name, value] : answer.fields) {
    CHECK_FALSE(Has(value, "planted"));
    CHECK(name != "nel");
  }
}

TEST_CASE("path routing: jobs share a connection independently", "[proxy]") {
  PathFixture fixture;
  const std::string theirs = fixture.Open(kOthers);
  Http2Client client(fixture.port, fixture.ClientOptions(kAllJobsHost), {});
  auto get = [&](const std::string& target, const std::string& cookie) {
    return client.Open({{":method", "GET"},
                        {":scheme", "https"},
                        {":authority", kAllJobsHost},
                        {":path", target},
                        {"cookie", cookie}});
  };
  auto websocket = [&](const std::string& prefix, const std::string& cookie) {
    const int32_t id = client.Open({{":method", "CONNECT"},
                                    {":protocol", "websocket"},
                                    {":scheme", "https"},
                                    {":authority", kAllJobsHost},
                                    {":path", prefix + "/ws"},
                                    {"sec-websocket-version", "13"},
                                    {"origin", kOrigin},
                                    {"cookie", cookie}},
                                   false);
    return id;
  };
  auto receives = [&](int32_t id, const std::string& text) {
    return client.ReadUntil([&] { return client.answer(id).body == text; });
  };
  // Alternating, each with its own cookie.
  for (int i = 0; i < 4; ++i) {
    CHECK(client.Await(get(kMine + "/echo", fixture.cookie)).status == 200);
    CHECK(client.Await(get(kOthers + "/echo", theirs)).status == 200);
    CHECK(client.Await(get(kOthers + "/echo", fixture.cookie)).status == 401);
    CHECK(client.Await(get(kMine + "/echo", theirs)).status == 401);
  }
  const int32_t mine = get(kMine + "/drip", fixture.cookie);
  const int32_t my_socket = websocket(kMine, fixture.cookie);
  const int32_t their_socket = websocket(kOthers, theirs);
  REQUIRE(client.ReadUntil([&] { return !client.answer(mine).body.empty(); }));
  REQUIRE(receives(my_socket, "hello"));
  REQUIRE(receives(their_socket, "hello"));

  fixture.RemoveRoute(kJob);
  for (int32_t id : {mine, my_socket}) {
    const Http2Answer& answer = client.answer(id);
    REQUIRE(client.ReadUntil(
        [&] { return answer.ended || answer.reset.has_value(); }));
  }
  CHECK(client.Await(get(kMine + "/echo", fixture.cookie)).status == 404);
  CHECK(client.SendBody(their_socket, "ping", false));
  CHECK(receives(their_socket, "helloping"));
  CHECK(client.Await(get(kOthers + "/echo", theirs)).status == 200);

  fixture.Revoke("session-1");
  const Http2Answer& last = client.answer(their_socket);
  CHECK(client.ReadUntil([&] { return last.ended || last.reset.has_value(); }));
  CHECK(client.Await(get(kOthers + "/echo", theirs)).status == 401);
  CHECK_FALSE(client.goaway().has_value());
}

}  // namespace
}  // namespace carme::testing
