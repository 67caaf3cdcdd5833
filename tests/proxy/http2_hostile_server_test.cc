// Hostile HTTP/2, with the answer that each gets.
#include <catch2/catch.hpp>
#include <functional>

#include "tests/proxy/http2_client.h"
#include "tests/proxy/proxy_fixture.h"

namespace carme::testing {
namespace {

// No GOAWAY, only the end.
constexpr uint32_t kJustEnds = 0xffff;
constexpr uint8_t kEndStream = NGHTTP2_FLAG_END_STREAM;
constexpr uint8_t kEndHeaders = NGHTTP2_FLAG_END_HEADERS;
constexpr uint8_t kWhole = kEndStream | kEndHeaders;

Http2List Get(const ProxyFixture& fixture, const Http2List& more = {}) {
  Http2List fields = {{":method", "GET"},
                      {":scheme", "https"},
                      {":authority", kJobHost},
                      {":path", "/echo"},
                      {"cookie", fixture.cookie}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

// With `name` as another, or without it.
Http2List But(const ProxyFixture& fixture, const std::string& name,
              const std::string& value = "") {
  Http2List fields;
  for (const auto& [has, is] : Get(fixture)) {
    if (has != name) fields.emplace_back(has, is);
    if (has == name && !value.empty()) fields.emplace_back(name, value);
  }
  return fields;
}

std::unique_ptr<Http2Client> Speak(ProxyFixture& fixture,
                                   Http2Client::Options options = {}) {
  auto client = std::make_unique<Http2Client>(
      fixture.port, fixture.ClientOptions(kJobHost), options);
  REQUIRE(client->connected());
  return client;
}

std::string Times(int count, const std::string& frame) {
  std::string all;
  for (int i = 0; i < count; ++i) all += frame;
  return all;
}

struct Attack {
  const char* name;
  uint32_t goaway;  // the code it is told
  // Sends it; the fixture is for what a request needs.
  std::function<void(Http2Client&, ProxyFixture&)> run;
};

const Attack kFloods[] = {
    {"rapid reset (CVE-2023-44487)", NGHTTP2_ENHANCE_YOUR_CALM,
     [](Http2Client& client, ProxyFixture& fixture) {
       const Http2List get = Get(fixture);
       for (int i = 0; i < 1000; ++i) {
         const int32_t id = client.Open(get);
         if (!client.Send(NGHTTP2_RST_STREAM, 0, id,
                          Http2Client::Number(NGHTTP2_CANCEL))) {
           return;
         }
       }
     }},
    {"mistakes that are answered by resets", NGHTTP2_ENHANCE_YOUR_CALM,
     [](Http2Client& client, ProxyFixture& fixture) {
       const Http2List bad = Get(fixture, {{"connection", "close"}});
       for (int i = 0; i < 1000; ++i) client.Open(bad);
     }},
    {"more requests than there may be, again and again",
     NGHTTP2_ENHANCE_YOUR_CALM,
     [](Http2Client& client, ProxyFixture& fixture) {
       // Before our acknowledgement they are refused one by one.
       const Http2List get = Get(fixture);
       std::string block = client.Compress(get);
       for (int32_t id = 1; id < 2000; id += 2) {
         if (!client.Send(NGHTTP2_HEADERS, kEndHeaders, id, block)) return;
         block = client.Compress(get);
       }
     }},
    {"pings", NGHTTP2_ENHANCE_YOUR_CALM,
     [](Http2Client& client, ProxyFixture&) {
       client.SendRaw(
           Times(5000, Http2Client::Frame(NGHTTP2_PING, 0, 0, "12345678")));
     }},
    {"settings", NGHTTP2_ENHANCE_YOUR_CALM,
     [](Http2Client& client, ProxyFixture&) {
       client.SendRaw(
           Times(5000, Http2Client::Frame(NGHTTP2_SETTINGS, 0, 0, "")));
     }},
    {"priorities", NGHTTP2_ENHANCE_YOUR_CALM,
     [](Http2Client& client, ProxyFixture&) {
       client.SendRaw(
           Times(5000, Http2Client::Frame(NGHTTP2_PRIORITY, 0, 1,
                                          std::string("\0\0\0\3\x10", 5))));
     }},
    {"empty DATA", NGHTTP2_ENHANCE_YOUR_CALM,
     [](Http2Client& client, ProxyFixture& fixture) {
       const int32_t id = client.Open(Get(fixture), false);
       client.SendRaw(Times(5000, Http2Client::Frame(NGHTTP2_DATA, 0, id, "")));
     }},
    {"CONTINUATION without end (CVE-2024-28182)", NGHTTP2_ENHANCE_YOUR_CALM,
     [](Http2Client& client, ProxyFixture& fixture) {
       client.SendRaw(
           Http2Client::Frame(NGHTTP2_HEADERS, 0, 1,
                              client.Compress(Get(fixture))) +
           Times(5000, Http2Client::Frame(NGHTTP2_CONTINUATION, 0, 1, "")));
     }},
    {"an HPACK bomb", NGHTTP2_ENHANCE_YOUR_CALM,
     [](Http2Client& client, ProxyFixture& fixture) {
       // One field of 4,000 bytes goes into the table, and each byte that
       // follows is that field again.
       const std::string block =
           client.Compress(Get(fixture)) +
           client.Compress({{"bomb", std::string(3500, 'x')}});
       const uint8_t newest = 0x80 | 62;
       client.Send(NGHTTP2_HEADERS, kWhole, 1,
                   block + std::string(10'000, static_cast<char>(newest)));
     }},
};

const Attack kViolations[] = {
    {"no preface", kJustEnds,
     [](Http2Client& client, ProxyFixture&) {
       client.SendRaw("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
     }},
    {"DATA for no request", NGHTTP2_PROTOCOL_ERROR,
     [](Http2Client& client, ProxyFixture&) {
       client.Send(NGHTTP2_DATA, 0, 0, "x");
     }},
    {"DATA for a request that never was", NGHTTP2_PROTOCOL_ERROR,
     [](Http2Client& client, ProxyFixture&) {
       client.Send(NGHTTP2_DATA, 0, 7, "x");
     }},
    {"an even stream", NGHTTP2_PROTOCOL_ERROR,
     [](Http2Client& client, ProxyFixture& fixture) {
       client.Send(NGHTTP2_HEADERS, kWhole, 2, client.Compress(Get(fixture)));
     }},
    {"HPACK that is none", NGHTTP2_COMPRESSION_ERROR,
     [](Http2Client& client, ProxyFixture&) {
       client.Send(NGHTTP2_HEADERS, kWhole, 1, "\xff\xff\xff\xff\xff\xff");
     }},
    {"a frame beyond the size", NGHTTP2_FRAME_SIZE_ERROR,
     [](Http2Client& client, ProxyFixture& fixture) {
       const int32_t id = client.Open(Get(fixture), false);
       client.Send(NGHTTP2_DATA, 0, id, std::string(16385, 'x'));
     }},
    {"a frame within a head", NGHTTP2_PROTOCOL_ERROR,
     [](Http2Client& client, ProxyFixture& fixture) {
       client.Send(NGHTTP2_HEADERS, 0, 1, client.Compress(Get(fixture)));
       client.Send(NGHTTP2_PING, 0, 0, "12345678");
     }},
    {"a window beyond 2^31", NGHTTP2_FLOW_CONTROL_ERROR,
     [](Http2Client& client, ProxyFixture&) {
       client.AllowMore(0, 0x7fffffff);
     }},
    {"a window of nothing more", NGHTTP2_PROTOCOL_ERROR,
     [](Http2Client& client, ProxyFixture&) { client.AllowMore(0, 0); }},
    {"SETTINGS of a stream", NGHTTP2_PROTOCOL_ERROR,
     [](Http2Client& client, ProxyFixture&) {
       client.Send(NGHTTP2_SETTINGS, 0, 1, "");
     }},
    {"a push", NGHTTP2_PROTOCOL_ERROR,
     [](Http2Client& client, ProxyFixture& fixture) {
       client.Send(NGHTTP2_PUSH_PROMISE, kEndHeaders, 1,
                   Http2Client::Number(2) + client.Compress(Get(fixture)));
     }},
};

void CheckAttacks(const Attack* begin, const Attack* end) {
  ProxyFixture fixture;
  for (const Attack* attack = begin; attack != end; ++attack) {
    INFO(attack->name);
    Http2Client::Options options;
    options.greets = attack->goaway != kJustEnds;
    auto client = Speak(fixture, options);
    attack->run(*client, fixture);
    const std::optional<uint32_t> told = client->AwaitEnd();
    if (attack->goaway == kJustEnds) continue;
    REQUIRE(told.has_value());
    CHECK(*told == attack->goaway);
  }
  // Others are served, and nothing is left of it.
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(WaitFor([&] { return fixture.server->connections() == 0; }));
}

TEST_CASE("http2: floods end their connection, and it is said why", "[proxy]") {
  CheckAttacks(std::begin(kFloods), std::end(kFloods));
}

TEST_CASE("http2: what no client of good faith sends ends its connection",
          "[proxy]") {
  CheckAttacks(std::begin(kViolations), std::end(kViolations));
}

// Of a request: a status, or kReset and the code.
constexpr uint32_t kReset = 0x10000;
constexpr uint32_t kMalformed = kReset | NGHTTP2_PROTOCOL_ERROR;

struct BadHead {
  const char* name;
  uint32_t outcome;
  Http2List fields;
};

TEST_CASE("http2: heads that make no sense reach no app", "[proxy]") {
  ProxyFixture fixture;
  auto with = [&](const std::string& name, const std::string& value) {
    return Get(fixture, {{name, value}});
  };
  Http2List connect = But(fixture, ":method", "CONNECT");
  Http2List odd = connect;
  odd.insert(odd.begin(), {":protocol", "connect-udp"});
  Http2List both = Get(fixture);
  both.insert(both.begin(), {":protocol", "websocket"});
  Http2List twice = Get(fixture);
  twice.insert(twice.begin(), {":path", "/other"});
  Http2List many = Get(fixture);
  for (int i = 0; i < 200; ++i) many.emplace_back("x-" + std::to_string(i), "");
  const BadHead table[] = {
      {"no method", kMalformed, But(fixture, ":method")},
      {"no scheme", kMalformed, But(fixture, ":scheme")},
      {"no path", kMalformed, But(fixture, ":path")},
      {"no authority", kMalformed, But(fixture, ":authority")},
      {"two paths", kMalformed, twice},
      {"a status", kMalformed, with(":status", "200")},
      {"a pseudo-header behind a field", kMalformed, with(":protocol", "x")},
      {"upper case", kMalformed, with("X-Upper", "x")},
      {"connection", kMalformed, with("connection", "close")},
      {"keep-alive", kMalformed, with("keep-alive", "x")},
      {"proxy-connection", kMalformed, with("proxy-connection", "x")},
      {"transfer-encoding", kMalformed, with("transfer-encoding", "chunked")},
      {"upgrade", kMalformed, with("upgrade", "websocket")},
      {"te", kMalformed, with("te", "gzip")},
      {"a length that is none", kMalformed, with("content-length", "-1")},
      {"a protocol with GET", kMalformed, both},
      {"a line in a value", 400, with("x", "y\r\nHost: evil")},
      {"NUL in a value", 400, with("x", std::string("a\0b", 3))},
      {"a line in a name", 400, with("x\r\ny", "z")},
      {"a line in the path", kMalformed,
       But(fixture, ":path", "/\r\nHost: evil")},
      {"a blank in the path", kMalformed, But(fixture, ":path", "/ HTTP/1.1")},
      {"a blank in the method", kMalformed,
       But(fixture, ":method", "GET /x HTTP/1.1")},
      {"another Host", 400, with("host", "evil.test")},
      {"plain http", 400, But(fixture, ":scheme", "http")},
      {"an absolute target", kMalformed, But(fixture, ":path", "https://x/")},
      {"TRACE", 501, But(fixture, ":method", "TRACE")},
      {"CONNECT", kMalformed, connect},
      {"another protocol", 501, odd},
      {"an expectation", 417, with("expect", "tea")},
      {"too large", 431, with("x", std::string(40'000, 'x'))},
      {"too many", 431, many},
      {"a target too long", 414,
       But(fixture, ":path", "/" + std::string(20'000, 'x'))},
  };
  const int before = fixture.app.requests();
  auto client = Speak(fixture);
  for (const BadHead& c : table) {
    INFO(c.name);
    const Http2Answer& answer = client->Ask(c.fields);
    CHECK((answer.reset && answer.status == 0
               ? kReset | *answer.reset
               : static_cast<uint32_t>(answer.status)) == c.outcome);
  }
  CHECK(fixture.app.requests() == before);
  // All of that on one connection, which is as good as before.
  CHECK(client->Ask(Get(fixture)).status == 200);
}

TEST_CASE("http2: a body that is not as long as was said reaches no app",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = Speak(fixture);
  const int before = fixture.app.requests();
  int32_t id = 1;
  for (auto [length, body] : {std::pair("10", "short"), std::pair("2", "long"),
                              std::pair("0", "x"), std::pair("7", "")}) {
    INFO(length << " " << body);
    Http2List post = But(fixture, ":method", "POST");
    post.emplace_back("content-length", length);
    // In one piece, so that it is known before the request is passed on.
    client->SendRaw(Http2Client::Frame(NGHTTP2_HEADERS, kEndHeaders, id,
                                       client->Compress(post)) +
                    Http2Client::Frame(NGHTTP2_DATA, kEndStream, id, body));
    const Http2Answer& answer = client->Await(id);
    id += 2;
    CHECK(answer.status == 0);
    CHECK(answer.reset == NGHTTP2_PROTOCOL_ERROR);
  }
  CHECK(fixture.app.requests() == before);
}

TEST_CASE("http2: requests beyond the limit are refused, those within are not",
          "[proxy]") {
  ProxyFixture fixture(
      [](proxy::ProxyConfig& config) { config.limits.most_streams = 10; });
  auto client = Speak(fixture);
  std::vector<int32_t> ids;
  Http2List get = But(fixture, ":path", "/held");
  for (int i = 0; i < 15; ++i) ids.push_back(client->Open(get));
  for (size_t i = 10; i < 15; ++i) {
    CHECK(client->Await(ids[i]).reset == NGHTTP2_REFUSED_STREAM);
  }
  CHECK(client->Setting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS) == 10);
  fixture.app.Release();
  for (size_t i = 0; i < 10; ++i) {
    CHECK(client->Await(ids[i]).status == 200);
  }
}

TEST_CASE("http2: who opens no window or sends half a head is not waited for",
          "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.limits.body_timeout = absl::Seconds(3);
    config.limits.head_timeout = absl::Seconds(3);
  });
  // A mistake in one request is not half a head.
  auto odd = Speak(fixture);
  odd->Open(But(fixture, ":path", "/held"));
  CHECK(odd->Ask(Get(fixture, {{"connection", "close"}})).reset);
  Http2Client::Options closed;
  closed.window = 0;
  auto client = Speak(fixture, closed);
  const int32_t id = client->Open(But(fixture, ":path", "/big"));
  auto half = Speak(fixture);
  auto silent = Speak(fixture);
  half->Send(NGHTTP2_HEADERS, kEndStream, 1, half->Compress(Get(fixture)));
  const Http2Answer& answer = client->Await(id);
  CHECK(answer.body.empty());
  CHECK(answer.reset == NGHTTP2_INTERNAL_ERROR);
  half->AwaitEnd();
  silent->AwaitEnd();
  CHECK(odd->Ask(Get(fixture)).status == 200);
  odd.reset();
  CHECK(WaitFor([&] { return fixture.server->connections() <= 1; }));
}

TEST_CASE("http2: who reads slowly gets all of it, and others are served",
          "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) { config.loops = 1; });
  TlsClient::Options tls = fixture.ClientOptions(kJobHost);
  tls.receive_bytes = 4096;
  Http2Client::Options options;
  options.window = 0x7fffffff;
  Http2Client client(fixture.port, tls, options);
  REQUIRE(client.connected());
  client.AllowMore(0, 0x7fff0000 - 65535);
  std::vector<int32_t> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(client.Open(But(fixture, ":path", "/big")));
  }
  REQUIRE(WaitFor([&] { return fixture.app.requests() >= 4; }));
  for (int i = 0; i < 10; ++i) CHECK(fixture.Get("/echo").status == 200);
  for (int32_t id : ids) CHECK(client.Await(id).body.size() == 4u << 20);
}

}  // namespace
}  // namespace carme::testing
