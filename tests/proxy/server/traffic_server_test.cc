// What passes through: bodies of every framing, websockets, attacks on both.
#include <catch2/catch.hpp>

#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

TEST_CASE("proxy: smuggled requests reach no app", "[proxy]") {
  ProxyFixture fixture;
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  const std::string inner =
      "GET /smuggled HTTP/1.1\r\nHost: " + std::string(kJobHost) + "\r\n\r\n";
  const int before = fixture.app.requests();
  for (const std::string& attack : {
           // CL.TE, TE.CL, TE.TE and their kin.
           Request("POST /echo", kJobHost,
                   cookie + "Content-Length: 4\r\nTransfer-Encoding: "
                            "chunked\r\n",
                   "0\r\n\r\n" + inner),
           Request("POST /echo", kJobHost,
                   cookie + "Transfer-Encoding: chunked\r\nContent-Length: "
                            "6\r\n",
                   "0\r\n\r\n" + inner),
           Request("POST /echo", kJobHost,
                   cookie + "Transfer-Encoding: chunked\r\n"
                            "Transfer-Encoding: x\r\n",
                   "0\r\n\r\n" + inner),
           Request("POST /echo", kJobHost,
                   cookie + "Transfer-Encoding : chunked\r\n",
                   "0\r\n\r\n" + inner),
           Request("POST /echo", kJobHost,
                   cookie + "Content-Length: 0\r\nContent-Length: 60\r\n",
                   inner),
           Request("GET /echo", kJobHost, cookie + "X: y\r\n\tz: w\r\n") +
               inner,
           Request("GET /echo", kJobHost, cookie + "X: y\nHost: other\r\n"),
           "GET http://" + std::string(kJobHost) + "/echo HTTP/1.1\r\nHost: " +
               kPortalHost + "\r\n" + cookie + "\r\n",
           Request("GET /echo", kJobHost,
                   cookie + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                            "Sec-WebSocket-Version: 13\r\nContent-Length: 5\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
                   "hello"),
           // Bytes behind a websocket handshake.
           Request("GET /ws", kJobHost,
                   cookie + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                            "Sec-WebSocket-Version: 13\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n") +
               inner,
       }) {
    INFO(attack);
    auto client = fixture.Connect();
    TestResponse response = client->Ask(attack);
    CHECK((response.status == 400 || response.status == 501));
    CHECK(client->EndsWithin(kSoon));
  }
  CHECK(fixture.app.requests() == before);
}

TEST_CASE("proxy: aborts on invalid chunks", "[proxy]") {
  ProxyFixture fixture;
  for (const std::string& body :
       {std::string("x\r\n"), std::string("5\r\nhelloX\r\n0\r\n\r\n"),
        std::string("5\nhello\r\n0\r\n\r\n"),
        std::string("ffffffffffffffffff\r\n"),
        "5;" + std::string(9000, 'x') + "\r\nhello\r\n0\r\n\r\n"}) {
    INFO(body.substr(0, 40));
    auto client = fixture.Connect();
    TestResponse response = client->Ask(Request(
        "POST /echo", kJobHost,
        "Cookie: " + fixture.cookie + "\r\nTransfer-Encoding: chunked\r\n",
        body));
    CHECK(response.status == 400);
    CHECK(client->EndsWithin(kSoon));
  }
}

TEST_CASE("proxy: bytes after a response reach no other client", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  for (int i = 0; i < 5; ++i) {
    TestResponse two = client->Ask(Request("GET /two", kJobHost, cookie));
    CHECK(two.status == 200);
    CHECK(two.body == "one");
    TestResponse next = client->Ask(Request("GET /echo", kJobHost, cookie));
    CHECK(next.status == 200);
    CHECK(next.body.find("GET /echo HTTP/1.1\r\n") == 0);
  }
}

TEST_CASE("proxy: responses of every framing arrive completely", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  auto ask = [&](const std::string& line) {
    return client->Ask(Request(line, kJobHost, cookie));
  };
  TestResponse chunked = ask("GET /chunked");
  CHECK(chunked.body == "hello world");
  CHECK(chunked.trailers == "Checksum: kept\r\n");
  CHECK(ask("GET /until-close").body == "until the end");
  CHECK(ask("GET /interim").status == 200);
  CHECK(ask("GET /big").body.size() == 4u << 20);
  TestResponse head = ask("HEAD /echo");
  CHECK(head.status == 200);
  CHECK(head.Value("Content-Length") == "1234");
  // All of that on one connection of the client.
  CHECK(ask("GET /echo").status == 200);
}

TEST_CASE("proxy: a truncated response stays truncated", "[proxy]") {
  ProxyFixture fixture;
  CHECK(fixture.Get("/cut").status == 0);
  CHECK(fixture.Get("/garbage").status == 502);
}

TEST_CASE("proxy: answers pipelined requests in order", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  std::string all;
  for (int i = 0; i < 200; ++i) {
    all += Request("POST /echo?" + std::to_string(i), kJobHost,
                   cookie + (i % 2 != 0 ? "Content-Length: 4\r\n"
                                        : "Transfer-Encoding: chunked\r\n"),
                   i % 2 != 0 ? "body" : "4\r\nbody\r\n0\r\n\r\n");
  }
  REQUIRE(client->Send(all));
  for (int i = 0; i < 200; ++i) {
    // A request with a body that was not answered by the app closes, so all
    // of these came from it.
    TestResponse response = client->ReadResponse();
    INFO(i << " " << response.head);
    REQUIRE(response.status == 200);
    CHECK(response.body.find("POST /echo?" + std::to_string(i) + " ") == 0);
  }
}

TEST_CASE("proxy: forwards large bodies in both framings", "[proxy]") {
  ProxyFixture fixture;
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  const std::string megabyte(1 << 20, 'u');
  {
    auto client = fixture.Connect();
    client->Send(Request("POST /slow", kJobHost,
                         cookie + "Content-Length: 8388608\r\n"));
    for (int i = 0; i < 8; ++i) REQUIRE(client->Send(megabyte));
    CHECK(client->ReadResponse().body.size() > 8u << 20);
    CHECK(fixture.app.body_bytes() == 8u << 20);
  }
  auto client = fixture.Connect();
  client->Send(Request("POST /echo", kJobHost,
                       cookie + "Transfer-Encoding: chunked\r\n"));
  for (int i = 0; i < 4; ++i) {
    REQUIRE(client->Send("100000\r\n" + megabyte + "\r\n"));
  }
  client->Send("0\r\n\r\n");
  CHECK(client->ReadResponse().body.size() > 4u << 20);
}

TEST_CASE("proxy: sends 100 Continue", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  client->Send(Request("POST /echo", kJobHost,
                       "Cookie: " + fixture.cookie +
                           "\r\nExpect: 100-continue\r\n"
                           "Content-Length: 4\r\n"));
  CHECK(client->Read(25) == "HTTP/1.1 100 Continue\r\n\r\n");
  client->Send("body");
  TestResponse response = client->ReadResponse();
  CHECK(response.status == 200);
  CHECK(response.body.find("Expect") == std::string::npos);
}

TEST_CASE("proxy: an early response reaches a client that still sends",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  client->Send(Request(
      "POST /early", kJobHost,
      "Cookie: " + fixture.cookie + "\r\nContent-Length: 1000000000\r\n"));
  client->Send(std::string(100'000, 'x'));
  TestResponse response = client->ReadResponse();
  CHECK(response.status == 413);
  CHECK(response.Value("Connection") == "close");
  CHECK(client->EndsWithin(kSoon));
}

TEST_CASE("proxy: forwards only allowed trailers to the app", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  TestResponse response = client->Ask(Request(
      "POST /echo", kJobHost,
      "Cookie: " + fixture.cookie + "\r\nTransfer-Encoding: chunked\r\n",
      "4\r\nbody\r\n0\r\nChecksum: mine\r\nHost: evil\r\n"
      "X-Forwarded-For: 6.6.6.6\r\n\r\n"));
  CHECK(response.status == 200);
  CHECK(response.body.find("0\r\nChecksum: mine\r\n\r\n") != std::string::npos);
  CHECK(response.body.find("evil") == std::string::npos);
  CHECK(response.body.find("6.6.6.6") == std::string::npos);
}

TEST_CASE("proxy: a disconnected client aborts its request", "[proxy]") {
  ProxyFixture fixture;
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  auto get = fixture.Connect();
  get->Send(Request("GET /hush", kJobHost, cookie));
  auto post = fixture.Connect();
  post->Send(Request("POST /hush", kJobHost, cookie + "Content-Length: 4\r\n",
                     "body"));
  REQUIRE(WaitFor([&] { return fixture.app.hushing() == 2; }));
  get.reset();
  CHECK(WaitFor([&] { return fixture.app.hangups() == 1; }));
  post.reset();
  CHECK(WaitFor([&] { return fixture.app.hangups() == 2; }));
}

TEST_CASE("proxy: a half-closed client still gets its response", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  client->Send(
      Request("GET /held", kJobHost, "Cookie: " + fixture.cookie + "\r\n"));
  REQUIRE(WaitFor([&] { return fixture.app.holding() == 1; }));
  client->Finish();
  // The end has been read when another client, later, was served.
  auto later = fixture.Connect();
  CHECK(later->Ask(Request("GET /echo", kPortalHost)).status == 421);
  fixture.app.Release();
  CHECK(client->ReadResponse().status == 200);
}

TEST_CASE("proxy: forwards a stream without delay", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  client->Send(
      Request("GET /drip", kJobHost, "Cookie: " + fixture.cookie + "\r\n"));
  const absl::Time start = absl::Now();
  CHECK(client->Read(200).find("drip") != std::string::npos);
  // A buffer of 16 KiB would be full after minutes.
  CHECK(absl::Now() - start < kSoon);
}

TEST_CASE("proxy: replaces a closed pooled connection once", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  for (int i = 0; i < 20; ++i) {
    CHECK(client->Ask(Request("GET /vanish", kJobHost, cookie)).body == "gone");
    CHECK(client->Ask(Request("GET /echo", kJobHost, cookie)).status == 200);
  }
}

TEST_CASE("proxy: websockets carry bytes both ways and close each way",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.OpenWebsocket(fixture.cookie);
  client->Send("ping");
  CHECK(client->Read(4) == "ping");
  const std::string block(100'000, 'w');
  client->Send(block);
  CHECK(client->Read(block.size()) == block);
  // Our end; the app's last word still arrives.
  client->Finish();
  CHECK(client->Read(3) == "bye");
  CHECK(client->EndsWithin(kSoon));
}

TEST_CASE("proxy: one request's slow reader does not stop another", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) { config.loops = 1; });
  TlsClient::Options options = fixture.ClientOptions(kJobHost);
  options.receive_bytes = 4096;
  TlsClient slow(fixture.port, options);
  slow.Send(
      Request("GET /big", kJobHost, "Cookie: " + fixture.cookie + "\r\n"));
  for (int i = 0; i < 10; ++i) CHECK(fixture.Get("/echo").status == 200);
  CHECK(slow.ReadResponse().body.size() == 4u << 20);
}

}  // namespace
}  // namespace carme::testing
