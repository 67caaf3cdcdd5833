// A websocket is a stream of bytes for the proxy: whatever bytes are sent, and
// however they are cut, the same bytes arrive in the same order, and the end of
// one direction leaves the other one open. Random bytes and cuts over both
// versions of HTTP; a failure prints its seed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "tests/proxy/fixtures/http2_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

constexpr char kOffer[] =
    "permessage-deflate; client_max_window_bits, x-unknown; a=\"b\"";
// Less than the buffers on the way hold, so that a blocking Send() returns.
constexpr size_t kMaxInFlight = 48 << 10;

// An open websocket to /ws of EchoApp, which sends "hello", echoes each byte,
// and sends "bye" after the end of its input.
class Tunnel {
 public:
  virtual ~Tunnel() = default;
  virtual bool Send(const std::string& bytes) = 0;
  virtual std::string Read() = 0;  // at least one byte; empty at the end
  virtual void FinishSending() = 0;
  const std::string& extensions() const { return extensions_; }

 protected:
  std::string extensions_;  // of the response
};

class Http1Tunnel final : public Tunnel {
 public:
  explicit Http1Tunnel(ProxyFixture& fixture)
      : client_(fixture.port, fixture.ClientOptions(kJobHost)) {
    const TestResponse response = client_.Ask(Request(
        "GET /ws", kJobHost,
        "Cookie: " + fixture.cookie + "\r\nOrigin: https://" + kJobHost +
            "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Extensions: " +
            kOffer + "\r\n"));
    REQUIRE(response.status == 101);
    extensions_ = response.Value("Sec-WebSocket-Extensions");
  }
  bool Send(const std::string& bytes) override { return client_.Send(bytes); }
  std::string Read() override { return client_.ReadSome(); }
  void FinishSending() override { client_.Finish(); }

 private:
  TlsClient client_;
};

class Http2Tunnel final : public Tunnel {
 public:
  explicit Http2Tunnel(ProxyFixture& fixture)
      : client_(fixture.port, fixture.ClientOptions(kJobHost), {}),
        id_(client_.Open({{":method", "CONNECT"},
                          {":protocol", "websocket"},
                          {":scheme", "https"},
                          {":authority", kJobHost},
                          {":path", "/ws"},
                          {"sec-websocket-version", "13"},
                          {"sec-websocket-extensions", kOffer},
                          {"origin", std::string("https://") + kJobHost},
                          {"cookie", fixture.cookie}},
                         false)) {
    client_.ReadUntil(
        [&] { return answer().status != 0 || answer().reset.has_value(); });
    REQUIRE(answer().status == 200);
    extensions_ = answer().Value("sec-websocket-extensions");
  }
  bool Send(const std::string& bytes) override {
    return client_.SendBody(id_, bytes, false);
  }
  std::string Read() override {
    client_.ReadUntil([&] {
      return !answer().body.empty() || answer().ended ||
             answer().reset.has_value();
    });
    return std::exchange(answer().body, "");
  }
  void FinishSending() override { client_.SendBody(id_, "", true); }

 private:
  Http2Answer& answer() { return client_.answer(id_); }
  Http2Client client_;
  int32_t id_;
};

std::unique_ptr<Tunnel> OpenTunnel(bool http2, ProxyFixture& fixture) {
  if (http2) return std::make_unique<Http2Tunnel>(fixture);
  return std::make_unique<Http1Tunnel>(fixture);
}

std::string RandomBytes(std::mt19937& random, size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Mostly small pieces, as frames of a terminal are, and some large ones.
size_t RandomSize(std::mt19937& random) {
  const size_t max = random() % 4 == 0 ? kMaxInFlight : 200;
  return 1 + random() % max;
}

TEST_CASE("relay: random bytes in random cuts arrive unchanged", "[proxy]") {
  ProxyFixture fixture;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const bool http2 = seed % 2 == 1;
    INFO("seed " << seed << (http2 ? ", HTTP/2" : ", HTTP/1.1"));
    std::mt19937 random(seed);
    auto tunnel = OpenTunnel(http2, fixture);
    CHECK(tunnel->extensions() == kOffer);
    std::string sent = "hello", received;
    const size_t cuts = random() % 60;
    for (size_t cut = 0; cut < cuts; ++cut) {
      const std::string piece = RandomBytes(random, RandomSize(random));
      sent += piece;
      REQUIRE(tunnel->Send(piece));
      const size_t in_flight = random() % kMaxInFlight;
      while (sent.size() - received.size() > in_flight) {
        const std::string more = tunnel->Read();
        REQUIRE_FALSE(more.empty());
        received += more;
      }
    }
    tunnel->FinishSending();
    for (std::string more; !(more = tunnel->Read()).empty();) received += more;
    // Not compared by Catch, which would print half a megabyte.
    const bool unchanged = received == sent + "bye";
    CHECK(unchanged);
  }
  CHECK(WaitFor([&] { return fixture.app.open_connections() == 0; }));
}

TEST_CASE("relay: a client that leaves at any point ends the app's connection",
          "[proxy]") {
  ProxyFixture fixture;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    auto tunnel = OpenTunnel(seed % 2 == 1, fixture);
    const size_t cuts = random() % 4;
    for (size_t cut = 0; cut < cuts; ++cut) {
      tunnel->Send(RandomBytes(random, random() % (kMaxInFlight / 4)));
    }
  }
  CHECK(WaitFor([&] { return fixture.app.open_connections() == 0; }));
}

}  // namespace
}  // namespace carme::testing
