// Hostile HTTP/2 that takes time; other cases are in http2_cases.h.
#include <catch2/catch.hpp>

#include "tests/proxy/fixtures/http2_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

constexpr uint8_t kEndStream = NGHTTP2_FLAG_END_STREAM;

Http2List Get(const ProxyFixture& fixture, const Http2List& more = {}) {
  Http2List fields = {{":method", "GET"},
                      {":scheme", "https"},
                      {":authority", kJobHost},
                      {":path", "/echo"},
                      {"cookie", fixture.cookie}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

// The fields with `name` replaced or removed.
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

TEST_CASE("http2: rejects only requests beyond the limit", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.limits.max_concurrent_streams = 10;
  });
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

TEST_CASE("http2: closes on a closed window or an unfinished head", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.limits.body_timeout = absl::Seconds(3);
    config.limits.request_header_timeout = absl::Seconds(3);
  });
  // An error in one request is not an unfinished head.
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

TEST_CASE("http2: a slow reader gets everything and blocks no other client",
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
