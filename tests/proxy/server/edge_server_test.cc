// Plain HTTP, load balancers, limits, metrics and log of a whole proxy.
#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/file.h"
#include "tests/proxy/fixtures/plain_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"
#include "tests/support/monitoring_files.h"

namespace carme::testing {
namespace {

using proxy::ProxyConfig;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string Plain(int port, const std::string& request) {
  return AskPlain(port, request).value_or("no answer");
}

TEST_CASE("proxy: plain HTTP redirects to https and closes", "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.redirect_listen = "127.0.0.1:0";
    config.limits.request_header_timeout = absl::Seconds(3);
  });
  const int port = fixture.redirect_port;
  CHECK(Has(Plain(port, Request("GET /a?b", kPortalHost)),
            "Location: https://portal.test/a?b\r\n"));
  CHECK(Has(Plain(port, "GET / HTTP/1.0\r\n\r\n"), "HTTP/1.1 505 "));
  CHECK(Has(Plain(port, "GET /" + std::string(9000, 'x')), "HTTP/1.1 431 "));
  // Incomplete or missing requests time out.
  CHECK(AskPlain(port, "GET / HT") == "");
  // TLS is not served here.
  CHECK(AskPlain(port, "\x16\x03\x01\x02", kWaitTimeout, true) == "");
}

TEST_CASE("proxy: metrics are served on their own port", "[proxy]") {
  ProxyFixture fixture(
      [](ProxyConfig& config) { config.metrics_listen = "127.0.0.1:0"; });
  auto metrics = [&] {
    return Plain(fixture.metrics_port, Request("GET /metrics", "x"));
  };
  for (int i = 0; i < 5; ++i) CHECK(fixture.Get("/echo").status == 200);
  CHECK(fixture.Get("/garbage").status == 502);
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  // A request is counted after its response.
  std::string text;
  CHECK(WaitFor([&] {
    text = metrics();
    return Has(text,
               "carme_proxy_requests_total{to=\"job\",status=\"2xx\"} 5\n") &&
           Has(text,
               "carme_proxy_requests_total{to=\"job\",status=\"5xx\"} 1\n") &&
           Has(text,
               "carme_proxy_requests_total{to=\"local\",status=\"3xx\"} 1\n") &&
           Has(text, "carme_proxy_websockets_open 1\n");
  }));
  INFO(text);
  CHECK(Has(text, "carme_proxy_routes 1\n"));
  CHECK(Has(Plain(fixture.metrics_port, Request("GET /", "x")), " 404 "));
  CHECK(
      Has(Plain(fixture.metrics_port, Request("POST /metrics", "x")), " 405 "));
  CHECK(Has(Plain(fixture.metrics_port, Request("GET /healthz", "x")),
            "\r\n\r\nok\n"));
  CHECK(Has(Plain(fixture.metrics_port, Request("GET /readyz", "x")),
            "\r\n\r\nok\n"));
  CHECK(Has(text, "carme_proxy_certificate_remaining_seconds{owner=\"proxy\""));
  CHECK(
      Has(text, "carme_proxy_certificate_remaining_seconds{owner=\"public\""));
  CHECK(MissingMetrics("carme_proxy_", text).empty());
  // Not on the browsers' port.
  auto client = fixture.Connect(kPortalHost);
  const TestResponse outside =
      client->Ask(Request("GET /metrics", kPortalHost));
  CHECK_FALSE(Has(outside.body, "carme_proxy_"));
  websocket.reset();
  CHECK(
      WaitFor([&] { return Has(metrics(), "carme_proxy_websockets_open 0"); }));
}

TEST_CASE("proxy: metrics are served when the client limit is reached",
          "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.metrics_listen = "127.0.0.1:0";
    config.limits.max_connections = 64;
  });
  std::vector<std::unique_ptr<TlsClient>> clients;
  CHECK(WaitFor([&] {
    clients.push_back(std::make_unique<TlsClient>(
        fixture.port, fixture.ClientOptions(kPortalHost)));
    return !clients.back()->connected();
  }));
  CHECK(WaitFor([&] {
    return Has(Plain(fixture.metrics_port, Request("GET /metrics", "x")),
               "carme_proxy_limited_total{limit=\"connections\"} 1\n");
  }));
}

TEST_CASE("proxy: the access log has each request and no secrets", "[proxy]") {
  std::string path;
  ProxyFixture fixture([&](ProxyConfig& config) {
    path = config.state_directory + "/access.log";
    config.access_log = path;
  });
  CHECK(fixture.Get("/echo?token=verysecret").status == 200);
  auto client = fixture.Connect();
  CHECK(client->Ask(Request("GET /private", kJobHost)).status == 401);
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  REQUIRE(websocket->Send("12345"));
  CHECK(websocket->Read(5) == "12345");
  websocket.reset();
  // Each loop writes its own lines.
  std::string text;
  for (const char* line :
       {" path=/ws to=job user=ada status=101 in=5 out=1",
        " method=GET host=j23456789abcdefg.jobs.test path=/echo "
        "to=job user=ada status=200 ",
        " path=/private to=local user=- status=401 ",
        " path=/.carme/open to=local user=- status=303 "}) {
    INFO(line);
    CHECK(WaitFor([&] {
      text = *ReadFile(path);
      return Has(text, line);
    }));
  }
  INFO(text);
  for (const char* secret : {"verysecret", "ticket=", "__Host", "?"}) {
    INFO(secret);
    CHECK_FALSE(Has(text, secret));
  }
  // The app gets the same id.
  const TestResponse echo = fixture.Get("/echo");
  const size_t at = echo.body.find("X-Request-Id: ");
  REQUIRE(at != std::string::npos);
  const std::string id =
      echo.body.substr(at + 14, echo.body.find('\r', at) - at - 14);
  CHECK(WaitFor([&] { return Has(*ReadFile(path), " id=" + id + " "); }));

  std::filesystem::rename(path, path + ".1");
  fixture.server->ReopenLog();
  CHECK(WaitFor([&] {
    CHECK(fixture.Get("/echo").status == 200);
    return Has(ReadFile(path).value_or(""), " path=/echo ");
  }));
}

std::string SeenAddress(ProxyFixture& fixture, const std::string& first,
                        const std::string& fields = "") {
  TlsClient::Options options = fixture.ClientOptions(kPortalHost);
  options.first = first;
  TlsClient client(fixture.port, options);
  if (!client.connected()) return "none";
  const TestResponse echo =
      client.Ask(Request("GET /echo", kPortalHost, fields));
  if (echo.status != 200) return std::to_string(echo.status);
  const size_t at = echo.body.find("X-Forwarded-For: ");
  return echo.body.substr(at + 17, echo.body.find('\r', at) - at - 17);
}

TEST_CASE("proxy: PROXY headers are trusted from listed networks only",
          "[proxy]") {
  const std::string text = "PROXY TCP4 203.0.113.9 10.0.0.1 12345 443\r\n";
  {
    ProxyFixture fixture;
    CHECK(SeenAddress(fixture, text) == "none");
  }
  {
    ProxyFixture fixture([](ProxyConfig& config) {
      config.load_balancers = {{"203.0.113.0/24"}, true, false};
    });
    CHECK(SeenAddress(fixture, text) == "none");
    CHECK(SeenAddress(fixture, "") == "127.0.0.1");
  }
  ProxyFixture fixture([](ProxyConfig& config) {
    config.load_balancers = {{"127.0.0.1"}, true, false};
    config.redirect_listen = config.metrics_listen = "127.0.0.1:0";
  });
  CHECK(SeenAddress(fixture, text) == "203.0.113.9");
  CHECK(SeenAddress(fixture, "PROXY TCP6 2001:db8::9 ::1 1 2\r\n") ==
        "2001:db8::9");
  using std::string_literals::operator""s;
  CHECK(SeenAddress(fixture,
                    "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0f"
                    "\xcb\0\x71\x09\x0a\0\0\x01\x30\x39\x01\xbb\x04\0\0"s) ==
        "203.0.113.9");
  CHECK(SeenAddress(fixture, "PROXY UNKNOWN\r\n") == "127.0.0.1");
  // Plain HTTP comes the same way.
  const std::string plain = Request("GET /", kPortalHost);
  CHECK(Has(Plain(fixture.redirect_port, text + plain), "HTTP/1.1 308 "));
  CHECK(Plain(fixture.redirect_port, plain) == "");
  // Without a valid header the connection is closed.
  CHECK(SeenAddress(fixture, "") == "none");
  CHECK(SeenAddress(fixture, "PROXY TCP4 203.0.113.9 10.0.0.1 1\r\n") ==
        "none");
  CHECK(WaitFor([&] {
    return Has(Plain(fixture.metrics_port, Request("GET /metrics", "x")),
               "carme_proxy_bad_proxy_headers_total 3\n");
  }));
  // A request's Forwarded does not change the address.
  CHECK(SeenAddress(fixture, text, "Forwarded: for=6.6.6.6\r\n") ==
        "203.0.113.9");
}

TEST_CASE("proxy: limits count client addresses behind a load balancer",
          "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.load_balancers = {{"127.0.0.1"}, true, false};
    config.limits.max_connections_per_address = 2;
  });
  auto connect = [&](const std::string& ip) {
    TlsClient::Options options = fixture.ClientOptions(kPortalHost);
    const bool v6 = ip.find(':') != std::string::npos;
    options.first = std::string("PROXY ") + (v6 ? "TCP6 " : "TCP4 ") + ip +
                    (v6 ? " ::1" : " 10.0.0.1") + " 1 2\r\n";
    return std::make_unique<TlsClient>(fixture.port, options);
  };
  auto a = connect("203.0.113.9"), b = connect("203.0.113.9");
  CHECK(a->connected());
  CHECK(b->connected());
  CHECK_FALSE(connect("203.0.113.9")->connected());
  CHECK(connect("203.0.113.10")->connected());
  // A /64 counts as one client.
  auto c = connect("2001:db8:1:2::a"), d = connect("2001:db8:1:2:ffff::b");
  CHECK(c->connected());
  CHECK(d->connected());
  CHECK_FALSE(connect("2001:db8:1:2::c")->connected());
  CHECK(connect("2001:db8:1:3::a")->connected());
  a.reset();
  CHECK(WaitFor([&] { return connect("203.0.113.9")->connected(); }));
}

TEST_CASE("proxy: Forwarded is trusted from listed networks only", "[proxy]") {
  const std::string field = "Forwarded: for=6.6.6.6, for=203.0.113.9\r\n";
  {
    ProxyFixture fixture([](ProxyConfig& config) {
      config.load_balancers = {{"203.0.113.0/24"}, false, true};
    });
    CHECK(SeenAddress(fixture, "", field) == "127.0.0.1");
  }
  ProxyFixture fixture([](ProxyConfig& config) {
    config.load_balancers = {{"127.0.0.1"}, false, true};
  });
  CHECK(SeenAddress(fixture, "", field) == "203.0.113.9");
  CHECK(SeenAddress(fixture, "") == "127.0.0.1");
  CHECK(SeenAddress(fixture, "", "X-Forwarded-For: 6.6.6.6\r\n") ==
        "127.0.0.1");
  CHECK(SeenAddress(fixture, "", "Forwarded: for=\"x, for=203.0.113.9\r\n") ==
        "400");
  // Each request by itself.
  auto client = fixture.Connect(kPortalHost);
  for (const char* ip : {"203.0.113.1", "203.0.113.2"}) {
    const TestResponse echo =
        client->Ask(Request("GET /echo", kPortalHost,
                            std::string("Forwarded: for=") + ip + "\r\n"));
    CHECK(Has(echo.body, std::string("X-Forwarded-For: ") + ip + "\r\n"));
    CHECK_FALSE(Has(echo.body, "Forwarded: for"));
  }
  const TestResponse plain = client->Ask(Request("GET /echo", kPortalHost));
  CHECK(Has(plain.body, "X-Forwarded-For: 127.0.0.1\r\n"));
}

TEST_CASE("proxy: connections of a session are limited", "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.limits.max_connections_per_session = 2;
  });
  const std::string other = fixture.OpenJob(kJobHost, "session-2");
  auto first = fixture.OpenWebsocket(fixture.cookie);
  auto second = fixture.OpenWebsocket(fixture.cookie);
  const TestResponse refused = fixture.Get("/echo");
  CHECK(refused.status == 429);
  CHECK(refused.Value("Retry-After") == "2");
  // A connection counts once, however many requests it has.
  auto theirs = fixture.Connect();
  for (int i = 0; i < 3; ++i) {
    CHECK(
        theirs->Ask(Request("GET /echo", kJobHost, "Cookie: " + other + "\r\n"))
            .status == 200);
  }
  // It counts for the session that uses it now.
  CHECK(theirs
            ->Ask(Request("GET /echo", kJobHost,
                          "Cookie: " + fixture.cookie + "\r\n"))
            .status == 429);
  first.reset();
  CHECK(WaitFor([&] { return fixture.Get("/echo").status == 200; }));
}

TEST_CASE("proxy: log-ins from one address are rate-limited", "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.limits.logins_per_s = 1;
    config.limits.login_burst = 3;
    config.login_paths = {"/echo"};
  });
  auto client = fixture.Connect(kPortalHost);
  const std::string login =
      Request("POST /echo?x", kPortalHost, "Content-Length: 0\r\n");
  for (int i = 0; i < 3; ++i) CHECK(client->Ask(login).status == 200);
  // Once more than one request per second is sent.
  CHECK(WaitFor([&] { return client->Ask(login).status == 429; }));
  CHECK(client->Ask(Request("GET /echo", kPortalHost)).status == 200);
  CHECK(
      client->Ask(Request("POST /echo/", kPortalHost, "Content-Length: 0\r\n"))
          .status != 429);
  CHECK(WaitFor([&] { return client->Ask(login).status == 200; }));
}

TEST_CASE("proxy: rejects too large bodies in both framings", "[proxy]") {
  ProxyFixture fixture(
      [](ProxyConfig& config) { config.limits.max_body_mib = 1; });
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  const int before = fixture.app.requests();
  auto client = fixture.Connect();
  const TestResponse said = client->Ask(
      Request("POST /echo", kJobHost, cookie + "Content-Length: 1048577\r\n"));
  CHECK(said.status == 413);
  CHECK(client->EndsWithin(kSoon));
  CHECK(fixture.app.requests() == before);

  const std::string megabyte(1 << 20, 'u');
  client = fixture.Connect();
  client->Send(Request("POST /echo", kJobHost,
                       cookie + "Transfer-Encoding: chunked\r\n"));
  client->Send("100000\r\n" + megabyte + "\r\n1\r\nx\r\n0\r\n\r\n");
  CHECK(client->ReadResponse().status == 413);
  CHECK(client->EndsWithin(kSoon));

  client = fixture.Connect();
  client->Send(
      Request("POST /echo", kJobHost, cookie + "Content-Length: 1048576\r\n"));
  client->Send(megabyte);
  CHECK(client->ReadResponse().status == 200);
}

TEST_CASE("proxy: rejects a body that arrives too slowly", "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.limits.body_timeout = absl::Seconds(3);
    config.limits.min_body_bytes_per_s = 1'000'000;
  });
  // In TLS 1.3 the server's tickets would look like a response.
  TlsClient::Options options = fixture.ClientOptions(kJobHost);
  options.tls_version = TLS1_2_VERSION;
  TlsClient client(fixture.port, options);
  client.Send(
      Request("POST /echo", kJobHost,
              "Cookie: " + fixture.cookie + "\r\nContent-Length: 1000000\r\n"));
  // Never idle long enough, but too slow.
  CHECK(WaitFor([&] {
    if (client.Readable()) return true;
    client.Send("x");
    absl::SleepFor(absl::Milliseconds(20));
    return false;
  }));
  CHECK(client.ReadResponse().status == 408);
}

TEST_CASE("proxy: closes a connection without a TLS handshake", "[proxy]") {
  ProxyFixture fixture([](ProxyConfig& config) {
    config.limits.handshake_timeout = absl::Seconds(3);
    config.limits.request_header_timeout = 2 * kWaitTimeout;
  });
  CHECK(AskPlain(fixture.port, "\x16\x03\x01\x02") == "");
}

TEST_CASE("proxy: adds HSTS to apps' responses if configured", "[proxy]") {
  {
    ProxyFixture fixture;
    CHECK(fixture.Get("/echo").Value("Strict-Transport-Security") ==
          "max-age=31536000");
  }
  ProxyFixture fixture([](ProxyConfig& config) { config.hsts_max_age_s = 0; });
  CHECK_FALSE(fixture.Get("/echo").Has("Strict-Transport"));
  CHECK_FALSE(fixture.Connect()->Ask(Request("GET /", kJobHost)).Has("Strict"));
}

}  // namespace
}  // namespace carme::testing
