// Requests to the portal: limits per client, and what reaches the frontend
// when.
#include <catch2/catch.hpp>
#include <string>

#include "tests/proxy/fixtures/http2_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

using proxy::ProxyConfig;

constexpr char kCall[] = "/carme.v1.JobService/ListJobs";

std::unique_ptr<Http2Client> Speak(ProxyFixture& fixture,
                                   Http2Client::Options options = {},
                                   const std::string& host = kPortalHost) {
  auto client = std::make_unique<Http2Client>(
      fixture.port, fixture.ClientOptions(host), options);
  REQUIRE(client->connected());
  return client;
}

Http2List Fields(const std::string& method, const std::string& path,
                 const Http2List& more = {}) {
  Http2List fields = {{":method", method},
                      {":scheme", "https"},
                      {":authority", kPortalHost},
                      {":path", path}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TestResponse Get(ProxyFixture& fixture, const std::string& path,
                 const std::string& fields = "") {
  return fixture.Connect(kPortalHost)
      ->Ask(Request("GET " + path, kPortalHost, fields));
}

std::string Length(size_t bytes) {
  return "Content-Length: " + std::to_string(bytes) + "\r\n";
}

TEST_CASE("portal: rejects a body above 64 KiB before it is read", "[proxy]") {
  ProxyFixture fixture;
  const size_t large = (64 << 10) + 1;
  auto client = fixture.Connect(kPortalHost);
  const TestResponse response = client->Ask(
      Request(std::string("POST ") + kCall, kPortalHost, Length(large)));
  CHECK(response.status == 413);
  CHECK(response.Value("Content-Type") == "application/json");
  CHECK(Has(response.body,
            "{\"code\":\"resource_exhausted\",\"message\":\"request "
            "body too large\",\"requestId\":\"" +
                response.Value("X-Request-Id") + "\"}"));
  auto http2 = Speak(fixture);
  CHECK(http2
            ->Await(
                http2->Open(Fields("POST", kCall,
                                   {{"content-length", std::to_string(large)}}),
                            false))
            .status == 413);
  // Without a length: rejected as soon as it is too large.
  const int32_t id = http2->Open(Fields("POST", kCall), false);
  http2->SendBody(id, std::string(large, 'x'), false);
  CHECK(http2->Await(id).status == 413);
  CHECK(fixture.frontend.requests() == 0);
}

TEST_CASE("portal: the frontend gets a complete body with its length",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect(kPortalHost);
  const std::string head = "POST /echo";
  client->Send(Request(head, kPortalHost, Length(10), "01234"));
  auto other = fixture.Connect(kPortalHost);
  CHECK(other->Ask(Request("GET /echo", kPortalHost)).status == 200);
  CHECK(fixture.frontend.requests() == 1);
  client->Send("56789");
  CHECK(
      Has(client->ReadResponse().body, "Content-Length: 10\r\n\r\n0123456789"));
  // The connection stays usable, also with chunks, which the frontend does not
  // accept.
  const TestResponse chunks =
      client->Ask(Request(head, kPortalHost, "Transfer-Encoding: chunked\r\n",
                          "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n"));
  CHECK(Has(chunks.body, "Content-Length: 5\r\n\r\nabcde"));
  CHECK_FALSE(Has(chunks.body, "chunked"));
  CHECK_FALSE(Has(chunks.body, "X-Trailer"));
  client->Send(
      Request(head, kPortalHost, Length(3) + "Expect: 100-continue\r\n"));
  CHECK(client->Read(25) == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(Has(client->Ask("xyz").body, "\r\n\r\nxyz"));
  auto http2 = Speak(fixture);
  const int32_t id = http2->Open(Fields("POST", "/echo"), false);
  http2->SendBody(id, "hello", true);
  CHECK(Has(http2->Await(id).body, "Content-Length: 5\r\n\r\nhello"));
  CHECK(fixture.Connect(kPortalHost)
            ->Ask(Request(head, kPortalHost, "Transfer-Encoding: chunked\r\n",
                          "zz\r\n"))
            .status == 400);
}

TEST_CASE("portal: answers 408 when a body does not arrive", "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.limits.portal_client_timeout = absl::Milliseconds(200);
  });
  auto client = fixture.Connect(kPortalHost);
  const TestResponse late = client->Ask(
      Request(std::string("POST ") + kCall, kPortalHost, Length(10), "01234"));
  CHECK(late.status == 408);
  CHECK(Has(late.body,
            "{\"code\":\"deadline_exceeded\",\"message\":\"the request "
            "took too long\""));
  auto http2 = Speak(fixture);
  const Http2Answer& answer =
      http2->Await(http2->Open(Fields("POST", kCall), false));
  CHECK(answer.status == 408);
  CHECK(Has(answer.body, "\"code\":\"deadline_exceeded\""));
  CHECK(fixture.frontend.requests() == 0);
}

TEST_CASE("portal: limits concurrent requests of an address", "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.limits.max_portal_requests_per_address = 2;
  });
  auto first = fixture.Connect(kPortalHost);
  first->Send(Request("GET /held", kPortalHost));
  auto second = Speak(fixture);
  second->Open(Fields("GET", "/held"));
  CHECK(WaitFor([&] { return fixture.frontend.holding() == 2; }));
  const TestResponse refused = Get(fixture, kCall);
  CHECK(refused.status == 429);
  CHECK(refused.Value("Retry-After") == "2");
  CHECK(Has(refused.body,
            "{\"code\":\"resource_exhausted\",\"message\":\"too "
            "many requests at once; try again in a moment\""));
  // Pages for users stay HTML.
  CHECK(Has(Get(fixture, "/", "Accept: text/html\r\n").body, "<html"));
  TlsClient::Options elsewhere = fixture.ClientOptions(kPortalHost);
  elsewhere.from = "127.0.0.2";
  TlsClient stranger(fixture.port, elsewhere);
  CHECK(stranger.Ask(Request("GET /echo", kPortalHost)).status == 200);
  fixture.frontend.Release();
  CHECK(first->ReadResponse().status == 200);
  CHECK(WaitFor([&] { return Get(fixture, "/echo").status == 200; }));
}

TEST_CASE("portal: limits concurrent requests of a session", "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.limits.max_portal_requests_per_session = 1;
  });
  const std::string mine = "Cookie: __Host-carme=mine\r\n";
  auto first = fixture.Connect(kPortalHost);
  first->Send(Request("GET /held", kPortalHost, mine));
  CHECK(WaitFor([&] { return fixture.frontend.holding() == 1; }));
  CHECK(Get(fixture, "/echo", mine).status == 429);
  CHECK(Get(fixture, "/echo", "Cookie: __Host-carme=other\r\n").status == 200);
  CHECK(Get(fixture, "/echo", "Authorization: Bearer mine\r\n").status == 200);
  CHECK(Get(fixture, "/echo").status == 200);
  fixture.frontend.Release();
  CHECK(WaitFor([&] { return Get(fixture, "/echo", mine).status == 200; }));
}

TEST_CASE("portal: an aborted request counts until the frontend has responded",
          "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.loops = 1;
    config.limits.max_portal_requests_per_address = 1;
  });
  auto client = Speak(fixture);
  const int32_t id = client->Open(Fields("GET", "/held"));
  CHECK(WaitFor([&] { return fixture.frontend.holding() == 1; }));
  client->Send(NGHTTP2_RST_STREAM, 0, id, Http2Client::Number(NGHTTP2_CANCEL));
  REQUIRE(client->Sync());
  CHECK(client->Ask(Fields("GET", "/echo")).status == 429);
  client.reset();
  CHECK(Get(fixture, "/echo").status == 429);
  fixture.frontend.Release();
  CHECK(WaitFor([&] { return Get(fixture, "/echo").status == 200; }));
}

TEST_CASE("portal: a client that does not read occupies no frontend thread",
          "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) { config.loops = 1; });
  fixture.frontend.LimitConnections(1);
  Http2Client::Options shut;
  shut.window = 0;
  auto client = Speak(fixture, shut);
  const int32_t id = client->Open(Fields("GET", "/asset"));
  CHECK(WaitFor([&] { return fixture.frontend.requests() == 1; }));
  // The frontend's one connection serves others as soon as the response is
  // read.
  client->AllowMore(0, 1 << 20);
  CHECK(WaitFor([&] {
    const int32_t next = client->Open(Fields("GET", "/echo"));
    client->AllowMore(next, 1 << 20);
    return client->Await(next).status == 200;
  }));
  // The slow client gets the whole response.
  client->AllowMore(id, 1 << 20);
  const Http2Answer& answer = client->Await(id);
  CHECK(answer.status == 200);
  CHECK(answer.body == std::string(200 << 10, 'a'));
}

TEST_CASE("portal: reads at the client's speed when the buffer is full",
          "[proxy]") {
  ProxyFixture fixture(
      [](ProxyConfig& config) { config.limits.max_portal_buffer_mib = 1; });
  Http2Client::Options shut;
  shut.window = 0;
  auto client = Speak(fixture, shut);
  std::vector<int32_t> ids;
  for (int i = 0; i < 10; ++i) {
    ids.push_back(client->Open(Fields("GET", "/asset")));
  }
  REQUIRE(client->Sync());
  CHECK(WaitFor([&] { return fixture.frontend.requests() == 10; }));
  // All arrive.
  client->AllowMore(0, 1 << 24);
  for (const int32_t id : ids) {
    client->AllowMore(id, 1 << 20);
    CHECK(client->Await(id).body.size() == 200u << 10);
  }
  // The budget was returned: a body is accepted.
  CHECK(fixture.Connect(kPortalHost)
            ->Ask(Request("POST /echo", kPortalHost, Length(60'000),
                          std::string(60'000, 'x')))
            .status == 200);
}

TEST_CASE("portal: responses leave a quarter of the budget to requests",
          "[proxy]") {
  proxy::ByteBudget budget(1000);
  {
    proxy::BudgetCharge response(budget, budget.request_share());
    proxy::BudgetCharge body(budget);
    CHECK_FALSE(response.Take(751));
    CHECK(response.Take(750));
    CHECK_FALSE(response.Take(1));
    CHECK(body.Take(250));
    CHECK_FALSE(body.Take(1));
    response.ReturnAll();
    CHECK(body.Take(750));
  }
  ProxyFixture fixture(
      [](ProxyConfig& config) { config.limits.max_portal_buffer_mib = 1; });
  Http2Client::Options shut;
  shut.window = 0;
  auto slow = Speak(fixture, shut);
  for (int i = 0; i < 10; ++i) slow->Open(Fields("GET", "/asset"));
  REQUIRE(slow->Sync());
  CHECK(WaitFor([&] { return fixture.frontend.requests() == 10; }));
  for (int i = 0; i < 5; ++i) {
    CHECK(fixture.Connect(kPortalHost)
              ->Ask(Request("POST /echo", kPortalHost, Length(60'000),
                            std::string(60'000, 'x')))
              .status == 200);
  }
}

TEST_CASE("portal: streams are forwarded at once and limited separately",
          "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.limits.max_portal_requests_per_address = 1;
    config.limits.max_portal_streams_per_address = 2;
  });
  auto first = fixture.Connect(kPortalHost);
  first->Send(Request("GET /drip", kPortalHost));
  CHECK(Has(first->Read(200), "drip\n"));
  auto second = Speak(fixture);
  const int32_t id = second->Open(Fields("GET", "/trickle"));
  CHECK(second->ReadUntil([&] { return second->answer(id).body.size() > 20; }));
  // They no longer count as requests.
  CHECK(Get(fixture, "/echo").status == 200);
  const TestResponse third = Get(fixture, "/drip");
  CHECK(third.status == 429);
  CHECK(Get(fixture, "/big").body.size() == 4u << 20);
  CHECK(Get(fixture, "/asset").body.size() == 200u << 10);
  // A stream ends at the frontend when its client disconnects.
  second->Send(NGHTTP2_RST_STREAM, 0, id, Http2Client::Number(NGHTTP2_CANCEL));
  CHECK(WaitFor([&] {
    auto next = fixture.Connect(kPortalHost);
    next->Send(Request("GET /drip", kPortalHost));
    return Has(next->Read(40), " 200 ");
  }));
}

TEST_CASE("portal: a truncated or malformed response never looks complete",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect(kPortalHost);
  const TestResponse cut = client->Ask(Request("GET /cut", kPortalHost));
  CHECK(cut.status == 0);
  auto http2 = Speak(fixture);
  CHECK(http2->Ask(Fields("GET", "/cut")).reset == NGHTTP2_INTERNAL_ERROR);
  CHECK(http2->Ask(Fields("GET", "/garbage")).status == 502);
  CHECK(Get(fixture, "/two").body == "one");
  CHECK(Get(fixture, "/chunked").body == "hello world");
  CHECK(Get(fixture, "/until-close").body == "until the end");
  CHECK(Get(fixture, "/echo").status == 200);
  auto head = fixture.Connect(kPortalHost);
  CHECK(head->Ask(Request("HEAD /echo", kPortalHost)).status == 200);
}

TEST_CASE("portal: API errors have Connect's format without the frontend",
          "[proxy]") {
  ProxyFixture fixture(
      [](ProxyConfig& config) { config.frontend_address = "127.0.0.1:1"; });
  const TestResponse call = fixture.Connect(kPortalHost)
                                ->Ask(Request(std::string("POST ") + kCall,
                                              kPortalHost, Length(2), "{}"));
  CHECK(call.status == 503);
  CHECK(call.Value("Content-Type") == "application/json");
  CHECK(Has(call.body,
            "{\"code\":\"unavailable\",\"message\":\"the portal cannot be "
            "reached; try again in a moment\",\"requestId\":\"" +
                call.Value("X-Request-Id") + "\"}"));
  const TestResponse other = Get(fixture, "/favicon.ico");
  CHECK(other.status == 503);
  CHECK(other.Value("Content-Type") == "application/problem+json");
  CHECK(Has(Get(fixture, "/", "Accept: text/html\r\n").body, "<html"));
  // Also for requests that the parser rejects, in both versions.
  const TestResponse bad = Get(fixture, kCall, "Bad Name: 1\r\n");
  CHECK(bad.status == 400);
  CHECK(Has(bad.body,
            "{\"code\":\"invalid_argument\",\"message\":\"bad field "
            "name\",\"requestId\":\""));
  auto http2 = Speak(fixture);
  const Http2Answer& large =
      http2->Ask(Fields("GET", kCall, {{"x", std::string(40'000, 'x')}}));
  CHECK(large.status == 431);
  CHECK(Has(large.body, "{\"code\":\"resource_exhausted\""));
}

TEST_CASE("cookies: deletes cookies that make a head too large", "[proxy]") {
  ProxyFixture fixture;
  const std::string large = "c=" + std::string(4000, 'x');
  std::string joined;
  for (int i = 0; i < 12; ++i) joined += (i > 0 ? "; " : "") + large;
  const std::string clear = "\"cookies\"";
  for (const char* host : {kPortalHost, kJobHost}) {
    const TestResponse refused = fixture.Connect(host)->Ask(
        Request("GET /", host, "Cookie: " + joined + "\r\n"));
    CHECK(refused.status == 431);
    CHECK(refused.Value("Clear-Site-Data") == clear);
  }
  // Not when other fields make it too large.
  const TestResponse other = fixture.Connect()->Ask(
      Request("GET /", kJobHost,
              "X: " + std::string(33'000, 'x') + "\r\nCookie: a=1\r\n"));
  CHECK(other.status == 431);
  CHECK(other.Value("Clear-Site-Data").empty());

  // As many as a browser stores for one registrable domain, over HTTP/2.
  Http2List many;
  for (int i = 0; i < 180; ++i) many.emplace_back("cookie", large);
  const auto ask = [&](const std::string& host, Http2List more) {
    Http2List fields = Fields("GET", "/echo", many);
    fields[2].second = host;
    fields.insert(fields.end(), more.begin(), more.end());
    return Speak(fixture, {}, host)->Ask(fields);
  };
  const Http2Answer job = ask(kJobHost, {{"cookie", fixture.cookie}});
  CHECK(job.status == 431);
  CHECK(job.Value("clear-site-data") == clear);
  CHECK(Has(job.body, "log in again"));
  // The portal gets its own cookie only.
  const Http2Answer portal =
      ask(kPortalHost, {{"cookie", "__Host-carme=mine"}});
  CHECK(portal.status == 200);
  CHECK(Has(portal.body, "\r\nCookie: __Host-carme=mine\r\n"));
  CHECK_FALSE(Has(portal.body, "xxxx"));
  // More than any browser sends.
  for (int i = 0; i < 100; ++i) many.emplace_back("cookie", large);
  auto flood = Speak(fixture, {}, kPortalHost);
  flood->Open(Fields("GET", "/echo", many));
  CHECK(flood->AwaitEnd() == NGHTTP2_ENHANCE_YOUR_CALM);
}

}  // namespace
}  // namespace carme::testing
