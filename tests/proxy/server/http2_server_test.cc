// HTTP/2 from the browser, HTTP/1.1 to the app.
#include <catch2/catch.hpp>
#include <thread>

#include "tests/proxy/fixtures/http2_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

constexpr uint32_t kNoError = NGHTTP2_NO_ERROR;

std::unique_ptr<Http2Client> Speak(ProxyFixture& fixture,
                                   Http2Client::Options options = {},
                                   const std::string& host = kJobHost) {
  auto client = std::make_unique<Http2Client>(
      fixture.port, fixture.ClientOptions(host), options);
  REQUIRE(client->connected());
  return client;
}

Http2List Plain(const std::string& method, const std::string& path,
                const std::string& host, const Http2List& more = {}) {
  Http2List fields = {{":method", method},
                      {":scheme", "https"},
                      {":authority", host},
                      {":path", path}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

// A request of the job's owner.
Http2List Mine(const ProxyFixture& fixture, const std::string& method,
               const std::string& path, const Http2List& more = {}) {
  Http2List fields = Plain(method, path, kJobHost, more);
  fields.emplace_back("cookie", fixture.cookie);
  return fields;
}

Http2List Handshake(const std::string& path, const std::string& cookie,
                    const std::string& origin) {
  return {{":method", "CONNECT"}, {":protocol", "websocket"},
          {":scheme", "https"},   {":authority", kJobHost},
          {":path", path},        {"sec-websocket-version", "13"},
          {"origin", origin},     {"cookie", cookie}};
}

const std::string kJobOrigin = std::string("https://") + kJobHost;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("http2: each request is authorized by itself", "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  const int before = fixture.app.requests();
  CHECK(client->Ask(Plain("GET", "/echo", kJobHost)).status == 401);
  CHECK(client
            ->Ask(Plain("GET", "/echo", kJobHost,
                        {{"cookie", "__Host-carme-job=forged"}}))
            .status == 401);
  CHECK(client
            ->Ask(Mine(fixture, "POST", "/echo",
                       {{"origin", "https://evil.test"}}))
            .status == 403);
  CHECK(client->Ask(Plain("GET", "/.carme/open?ticket=x", kJobHost)).status ==
        403);
  // Browsers send requests for other hosts of the certificate on this
  // connection.
  for (const char* host : {kOtherJobHost, kPortalHost, "evil.test"}) {
    CHECK(client->Ask(Plain("GET", "/echo", host, {{"cookie", fixture.cookie}}))
              .status == 421);
  }
  CHECK(fixture.app.requests() == before);
  CHECK(client->Ask(Mine(fixture, "GET", "/echo")).status == 200);

  // A ticket that is redeemed on the connection applies to later requests.
  const Http2Answer& opened = client->Ask(
      Plain("GET", "/.carme/open?ticket=" + fixture.Ticket(), kJobHost));
  CHECK(opened.status == 303);
  const std::string set = opened.Value("set-cookie");
  CHECK(client
            ->Ask(Plain("GET", "/echo", kJobHost,
                        {{"cookie", set.substr(0, set.find(';'))}}))
            .status == 200);
}

TEST_CASE("http2: the app sees one plain HTTP/1.1 request", "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  const std::string seen = client
                               ->Ask(Mine(fixture, "GET", "/echo?a=b",
                                          {{"cookie", "a=1"},
                                           {"range", "bytes=0-1"},
                                           {"cookie", "b=2"},
                                           {"te", "trailers"},
                                           {"x-forwarded-for", "6.6.6.6"},
                                           {"x-carme-user", "evil"}}))
                               .body;
  INFO(seen);
  CHECK(seen.find("GET /echo?a=b HTTP/1.1\r\nHost: " + std::string(kJobHost) +
                  "\r\n") == 0);
  CHECK(Has(seen, "Cookie: a=1; b=2\r\n"));
  CHECK(Has(seen, "range: bytes=0-1\r\n"));
  CHECK(Has(seen, "X-Forwarded-Proto: https\r\n"));
  for (const char* gone : {"arme", "6.6.6.6", "evil", "te:"}) {
    INFO(gone);
    CHECK_FALSE(Has(seen.substr(seen.find("\r\n", seen.find("Host"))), gone));
  }
}

TEST_CASE("http2: responses of every framing arrive completely", "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  auto ask = [&](const std::string& path, const std::string& method = "GET") {
    return client->Ask(Mine(fixture, method, path));
  };
  const Http2Answer chunked = ask("/chunked");
  CHECK(chunked.body == "hello world");
  CHECK(chunked.ended);
  CHECK(chunked.trailers == Http2List{{"checksum", "kept"}});
  CHECK(ask("/until-close").body == "until the end");
  CHECK(ask("/interim").status == 200);
  CHECK(ask("/big").body.size() == 4u << 20);
  const Http2Answer head = ask("/echo", "HEAD");
  CHECK(head.status == 200);
  CHECK(head.ended);
  CHECK(head.body.empty());
  CHECK(head.Value("content-length") == "1234");
  const Http2Answer planted = ask("/plant");
  CHECK(planted.Value("set-cookie") == "own=1");
  // An aborted response aborts only its stream.
  const Http2Answer cut = ask("/cut");
  CHECK(cut.reset == NGHTTP2_INTERNAL_ERROR);
  CHECK_FALSE(cut.ended);
  CHECK(ask("/garbage").status == 502);
  CHECK(ask("/echo").status == 200);
}

TEST_CASE("http2: concurrent requests get their own responses", "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  const int32_t held = client->Open(Mine(fixture, "GET", "/held"));
  std::vector<int32_t> ids;
  for (int i = 0; i < 60; ++i) {
    ids.push_back(
        client->Open(Mine(fixture, "GET", "/echo?" + std::to_string(i))));
  }
  for (int i = 0; i < 60; ++i) {
    const Http2Answer& answer = client->Await(ids[static_cast<size_t>(i)]);
    CHECK(answer.status == 200);
    CHECK(answer.body.find("GET /echo?" + std::to_string(i) + " ") == 0);
  }
  CHECK(client->answer(held).status == 0);
  fixture.app.Release();
  CHECK(client->Await(held).status == 200);
}

TEST_CASE("http2: many requests open few connections to an agent", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.loops = 1;
    // A timeout would fail all waiters, also on a slow machine.
    config.limits.connect_timeout = kWaitTimeout;
  });
  auto client = Speak(fixture);
  std::vector<int32_t> ids;
  std::string all;
  for (int32_t id = 1; id < 2 * 90; id += 2) {
    ids.push_back(id);
    all += Http2Client::Frame(
        NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM | NGHTTP2_FLAG_END_HEADERS, id,
        client->Compress(Mine(fixture, "GET", "/held")));
  }
  // All at once.
  client->SendRaw(all);
  // None returns its connection, and all reach the app.
  REQUIRE(WaitFor([&] { return fixture.app.holding() == 90; }));
  // The limit of a real agent.
  CHECK(fixture.agent.max_opening() < 64);
  fixture.app.Release();
  for (int32_t id : ids) CHECK(client->Await(id).status == 200);
  CHECK(fixture.agent.refused() == 0);
}

TEST_CASE("http2: cancelled waiters do not block others", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) { config.loops = 1; });
  auto client = Speak(fixture);
  const std::string cancel = Http2Client::Number(NGHTTP2_CANCEL);
  for (int round = 0; round < 3; ++round) {
    std::vector<int32_t> left;
    for (int i = 0; i < 40; ++i) {
      left.push_back(client->Open(Mine(fixture, "GET", "/echo")));
    }
    for (int32_t id : left) client->Send(NGHTTP2_RST_STREAM, 0, id, cancel);
    for (int i = 0; i < 5; ++i) {
      CHECK(client->Ask(Mine(fixture, "GET", "/echo")).status == 200);
    }
  }
}

TEST_CASE("http2: forwards bodies with and without length, with trailers",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  const std::string body(3 << 20, 'u');
  const int32_t counted =
      client->Open(Mine(fixture, "POST", "/slow",
                        {{"content-length", std::to_string(body.size())}}),
                   false);
  REQUIRE(client->SendBody(counted, body, true));
  CHECK(client->Await(counted).status == 200);
  CHECK(fixture.app.body_bytes() == body.size());
  const int32_t open = client->Open(Mine(fixture, "POST", "/echo"), false);
  REQUIRE(client->SendBody(open, body, true));
  CHECK(client->Await(open).body.size() > body.size());

  const int32_t trailed = client->Open(Mine(fixture, "POST", "/echo"), false);
  REQUIRE(client->SendBody(trailed, "body", false));
  client->SendTrailers(trailed, {{"checksum", "mine"}, {"host", "evil"}});
  const std::string& seen = client->Await(trailed).body;
  CHECK(Has(seen, "4\r\nbody\r\n0\r\nchecksum: mine\r\n\r\n"));
  CHECK_FALSE(Has(seen, "evil"));
}

TEST_CASE("http2: sends 100 Continue", "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  const int32_t id =
      client->Open(Mine(fixture, "POST", "/echo",
                        {{"expect", "100-continue"}, {"content-length", "4"}}),
                   false);
  REQUIRE(client->ReadUntil([&] { return client->answer(id).interim != 0; }));
  CHECK(client->answer(id).interim == 100);
  CHECK(client->answer(id).status == 0);
  REQUIRE(client->SendBody(id, "body", true));
  CHECK(client->Await(id).status == 200);
}

TEST_CASE("http2: an early response stops only its own request's body",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  const int32_t id = client->Open(
      Mine(fixture, "POST", "/early", {{"content-length", "1000000000"}}),
      false);
  client->SendSome(id, std::string(30'000, 'x'));
  const Http2Answer& answer = client->answer(id);
  REQUIRE(client->ReadUntil([&] { return answer.reset.has_value(); }));
  CHECK(answer.status == 413);
  CHECK(answer.ended);
  CHECK(answer.reset == kNoError);
  CHECK(client->Ask(Mine(fixture, "GET", "/echo")).status == 200);
}

TEST_CASE("http2: a slow app slows the browser", "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  // More than all socket buffers.
  const std::string body(96 << 20, 'u');
  const int32_t id =
      client->Open(Mine(fixture, "POST", "/deaf",
                        {{"content-length", std::to_string(body.size())}}),
                   false);
  size_t sent = 0;
  // Until nothing moves. Stopping too early only sends less.
  for (int quiet = 0; quiet < 50 && sent < body.size();) {
    const size_t more =
        client->SendSome(id, std::string_view(body).substr(sent));
    sent += more;
    quiet = more == 0 ? quiet + 1 : 0;
    REQUIRE(client->Sync());
  }
  CHECK(sent < body.size());
  fixture.app.Release();
  REQUIRE(client->SendBody(id, std::string_view(body).substr(sent), true));
  CHECK(client->Await(id).status == 200);
  CHECK(fixture.app.body_bytes() == body.size());
}

TEST_CASE("http2: a slow browser slows only its own request", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) { config.loops = 1; });
  Http2Client::Options options;
  options.reads_on = false;
  auto client = Speak(fixture, options);
  const int32_t slow = client->Open(Mine(fixture, "GET", "/big"));
  Http2Answer& answer = client->answer(slow);
  // The connection's window, and the stream's.
  REQUIRE(client->ReadUntil([&] { return answer.body.size() == 65535; }));
  client->AllowMore(0, 1 << 20);
  for (int i = 0; i < 10; ++i) {
    CHECK(client->Ask(Mine(fixture, "GET", "/echo")).status == 200);
  }
  CHECK(answer.body.size() == 65535);
  client->AllowMore(0, 4 << 20);
  client->AllowMore(slow, 4 << 20);
  CHECK(client->Await(slow).body.size() == 4u << 20);
}

TEST_CASE("http2: forwards a stream of events without delay", "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  const int32_t drip = client->Open(Mine(fixture, "GET", "/drip"));
  CHECK(client->ReadUntil(
      [&] { return client->answer(drip).body.size() >= 10; }));
  const int32_t hush = client->Open(Mine(fixture, "GET", "/hush"));
  REQUIRE(WaitFor([&] { return fixture.app.hushing() == 1; }));
  client->Send(NGHTTP2_RST_STREAM, 0, hush,
               Http2Client::Number(NGHTTP2_CANCEL));
  CHECK(WaitFor([&] { return fixture.app.hangups() == 1; }));
  CHECK(client->Ask(Mine(fixture, "GET", "/echo")).status == 200);
  // Closing the connection ends all its streams.
  client->Open(Mine(fixture, "GET", "/hush"));
  REQUIRE(WaitFor([&] { return fixture.app.hushing() == 1; }));
  client.reset();
  CHECK(WaitFor([&] { return fixture.app.hangups() == 2; }));
}

TEST_CASE("http2: rejects cross-origin websockets and non-websocket apps",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  auto ask = [&](const Http2List& fields) {
    return client->Await(client->Open(fields, false)).status;
  };
  CHECK(ask(Handshake("/ws", "a=b", kJobOrigin)) == 401);
  CHECK(ask(Handshake("/ws", fixture.cookie, "https://evil.test")) == 403);
  // The app responds to another handshake.
  CHECK(ask(Handshake("/ws-wrong", fixture.cookie, kJobOrigin)) == 502);
  Http2List old = Handshake("/ws", fixture.cookie, kJobOrigin);
  old[5].second = "8";
  CHECK(ask(old) == 400);
  // An app without that path.
  CHECK(ask(Handshake("/early", fixture.cookie, kJobOrigin)) == 413);
}

TEST_CASE("http2: websockets carry bytes both ways and close each way",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  REQUIRE(client->Sync());
  CHECK(client->Setting(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1);
  const int32_t id =
      client->Open(Handshake("/ws", fixture.cookie, kJobOrigin), false);
  Http2Answer& socket = client->answer(id);
  REQUIRE(client->ReadUntil([&] { return socket.body == "hello"; }));
  CHECK(socket.status == 200);
  CHECK(socket.Value("sec-websocket-accept").empty());
  const std::string block(200'000, 'w');
  REQUIRE(client->SendBody(id, block, false));
  REQUIRE(client->ReadUntil([&] { return socket.body.size() == 200'005; }));
  // Requests work beside it.
  CHECK(client->Ask(Mine(fixture, "GET", "/echo")).status == 200);
  CHECK_FALSE(socket.ended);
  client->Send(NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, id, "");
  CHECK(client->Await(id).ended);
  CHECK(socket.body.substr(200'005) == "bye");
  CHECK_FALSE(socket.reset);
}

TEST_CASE("http2: the end of a session ends its streams, not the connection",
          "[proxy]") {
  ProxyFixture fixture;
  const std::string other = fixture.OpenJob(kJobHost, "session-2");
  auto client = Speak(fixture);
  const int32_t drip = client->Open(Mine(fixture, "GET", "/drip"));
  const int32_t socket =
      client->Open(Handshake("/ws", fixture.cookie, kJobOrigin), false);
  const int32_t theirs =
      client->Open(Handshake("/ws", other, kJobOrigin), false);
  REQUIRE(client->ReadUntil([&] {
    return !client->answer(drip).body.empty() &&
           client->answer(socket).body == "hello" &&
           client->answer(theirs).body == "hello";
  }));
  fixture.Revoke("session-1");
  CHECK(client->Await(drip).reset);
  CHECK(client->Await(socket).reset);
  CHECK(client->Ask(Mine(fixture, "GET", "/echo")).status == 401);
  REQUIRE(client->SendBody(theirs, "ping", false));
  CHECK(client->ReadUntil(
      [&] { return client->answer(theirs).body == "helloping"; }));
}

TEST_CASE("http2: the end of a grant ends what it opened", "[proxy]") {
  ProxyFixture fixture;
  std::string brief;
  auto client = Speak(fixture);
  int32_t id = 0;
  // Long enough for this machine to open something before the end.
  for (absl::Duration lives = absl::Seconds(2);; lives *= 2) {
    REQUIRE(lives < kWaitTimeout);
    const std::string set =
        client
            ->Ask(Plain("GET",
                        "/.carme/open?ticket=" +
                            fixture.Ticket(kJob, "session-1", lives),
                        kJobHost))
            .Value("set-cookie");
    brief = set.substr(0, set.find(';'));
    id = client->Open(Plain("GET", "/drip", kJobHost, {{"cookie", brief}}));
    REQUIRE(client->ReadUntil([&] {
      return !client->answer(id).body.empty() || client->answer(id).ended ||
             client->answer(id).reset;
    }));
    if (client->answer(id).status == 200) break;
  }
  CHECK(client->Await(id).reset);
  CHECK(client->Ask(Plain("GET", "/echo", kJobHost, {{"cookie", brief}}))
            .status == 401);
}

TEST_CASE("http2: sends GOAWAY and finishes open requests when it stops",
          "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.limits.drain_timeout = kWaitTimeout;
  });
  auto idle = Speak(fixture);
  REQUIRE(idle->Sync());
  auto running = Speak(fixture);
  const int32_t held = running->Open(Mine(fixture, "GET", "/held"));
  REQUIRE(WaitFor([&] { return fixture.app.holding() == 1; }));
  std::thread drain([&] { fixture.server->Drain(); });
  CHECK(idle->AwaitEnd() == kNoError);
  CHECK(running->ReadUntil([&] { return running->goaway().has_value(); }));
  fixture.app.Release();
  CHECK(running->Await(held).status == 200);
  CHECK(running->answer(held).ended);
  CHECK(running->AwaitEnd() == kNoError);
  drain.join();
  CHECK(fixture.server->connections() == 0);
}

TEST_CASE("http2: serves the first request of a new connection when it stops",
          "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.limits.drain_timeout = kWaitTimeout;
  });
  auto client = Speak(fixture);
  REQUIRE(client->Sync());
  auto other = Speak(fixture);
  other->Ask(Mine(fixture, "GET", "/echo"));
  std::thread drain([&] { fixture.server->Drain(); });
  CHECK(other->AwaitEnd() == kNoError);  // it has begun
  CHECK_FALSE(client->goaway().has_value());
  CHECK(client->Ask(Mine(fixture, "GET", "/echo")).status == 200);
  CHECK(client->AwaitEnd() == kNoError);
  drain.join();
}

TEST_CASE("http2: can be disabled", "[proxy]") {
  ProxyFixture fixture(
      [](proxy::ProxyConfig& config) { config.http2 = false; });
  Http2Client client(fixture.port, fixture.ClientOptions(kJobHost), {});
  CHECK_FALSE(client.connected());
  CHECK(fixture.Get("/echo").status == 200);
}

}  // namespace
}  // namespace carme::testing
