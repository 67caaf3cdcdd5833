// Plain HTTP, limiters, access log and metrics, each by itself.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "common/file.h"
#include "proxy/limits/connection_limiter.h"
#include "proxy/limits/keyed_rate_limiter.h"
#include "proxy/limits/portal_limiter.h"
#include "proxy/local_reply/https_redirect.h"
#include "proxy/telemetry/access_log.h"
#include "proxy/telemetry/metrics.h"
#include "proxy/telemetry/request_log.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::proxy {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string Plain(const std::string& line, const std::string& host) {
  const std::string bytes = line + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  RequestHead head;
  const ScanResult scan = ScanRequest(bytes, HeadLimits(), &head);
  return HttpsRedirectResponse(
      scan, head,
      *VirtualHosts::Create("portal.test:8443", "jobs.portal.test:8443"));
}

TEST_CASE("plain HTTP: redirects GET and HEAD only", "[proxy]") {
  CHECK(Has(Plain("GET /a?b=c", "Portal.Test"),
            "HTTP/1.1 308 Permanent Redirect\r\n"
            "Location: https://portal.test:8443/a?b=c\r\n"));
  CHECK(Has(Plain("HEAD /", "j23456789abcdefg.jobs.portal.test:80"),
            "Location: https://j23456789abcdefg.jobs.portal.test:8443/\r\n"));
  // RFC 6797 section 7.2.
  CHECK_FALSE(Has(Plain("GET /", "portal.test"), "Strict-Transport"));
  for (const char* host : {"evil.test", "jobs.portal.test", "x.portal.test",
                           "portal.test.evil.test", "[::1]", ""}) {
    INFO(host);
    CHECK(Plain("GET /", host).substr(0, 12) == "HTTP/1.1 421");
  }
  CHECK(Plain("POST /x", "portal.test").substr(0, 12) == "HTTP/1.1 403");
  CHECK(Plain("GET http://portal.test/", "portal.test").substr(0, 12) ==
        "HTTP/1.1 400");
  // A ticket sent in the clear is not forwarded.
  const std::string ticket =
      Plain("GET /.carme/open?ticket=x", "j23456789abcdefg.jobs.portal.test");
  CHECK(Has(ticket, "Location: https://portal.test:8443/\r\n"));
}

TEST_CASE("rate limiter: a burst, then a rate, per key", "[proxy]") {
  KeyedRateLimiter rate_limiter(2, 3);
  absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  for (int i = 0; i < 3; ++i) CHECK(rate_limiter.Allow("a", now));
  CHECK_FALSE(rate_limiter.Allow("a", now));
  CHECK(rate_limiter.Allow("b", now));
  now += absl::Milliseconds(500);
  CHECK(rate_limiter.Allow("a", now));
  CHECK_FALSE(rate_limiter.Allow("a", now));
  // Rejected attempts take no tokens.
  now += absl::Hours(1);
  for (int i = 0; i < 3; ++i) CHECK(rate_limiter.Allow("a", now));
  CHECK_FALSE(rate_limiter.Allow("a", now));
  // A clock that was set back blocks no client.
  now -= absl::Hours(48);
  CHECK(rate_limiter.Allow("a", now));
}

TEST_CASE("rate limiter: excess keys share one bucket", "[proxy]") {
  KeyedRateLimiter rate_limiter(1, 2);
  absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  for (int i = 0; i < 100'000; ++i) {
    if (!rate_limiter.Allow(std::to_string(i), now)) FAIL(i);
  }
  int taken = 0;
  for (int i = 0; i < 100; ++i)
    taken += rate_limiter.Allow("x" + std::to_string(i), now);
  CHECK(taken == 2);
  // Known keys have their own bucket; old ones are removed over time.
  CHECK(rate_limiter.Allow("7", now));
  now += absl::Seconds(5);
  CHECK(rate_limiter.Allow("x1", now));
  CHECK(rate_limiter.Allow("x2", now));
  CHECK(rate_limiter.Allow("x3", now));
}

TEST_CASE("connection limiter: an IPv6 client is counted by its /64",
          "[proxy]") {
  const auto key = [](const char* ip) {
    return ClientKeyOf(*net::Address::FromIp(ip, 1));
  };
  CHECK(key("192.0.2.1") == "192.0.2.1");
  CHECK(key("2001:db8::1") == key("2001:db8::2:3"));
  CHECK(key("2001:db8::1") != key("2001:db8:0:1::1"));
  CHECK(key("::ffff:192.0.2.1") == key("192.0.2.1"));
}

TEST_CASE("portal limiter: refuses more requests or streams of a client",
          "[proxy]") {
  ProxyLimits limits;
  limits.max_portal_requests_per_address = 3;
  limits.max_portal_requests_per_session = 2;
  limits.max_portal_streams_per_address = 5;
  limits.max_portal_streams_per_session = 1;
  PortalLimiter limiter(limits);
  PortalSlot first = limiter.TryAcquire("a", "s");
  PortalSlot second = limiter.TryAcquire("a", "s");
  CHECK(first.acquired());
  CHECK(second.acquired());
  CHECK_FALSE(limiter.TryAcquire("a", "s").acquired());
  CHECK_FALSE(limiter.TryAcquire("b", "s").acquired());
  // A refused request counts for neither key.
  PortalSlot third = limiter.TryAcquire("a", "");
  CHECK(third.acquired());
  CHECK_FALSE(limiter.TryAcquire("a", "t").acquired());
  CHECK(limiter.TryAcquire("", "").acquired());
  // A stream no longer counts as a request.
  CHECK(first.BecomeStream());
  CHECK(first.BecomeStream());
  CHECK_FALSE(second.BecomeStream());
  CHECK(second.acquired());
  CHECK(limiter.TryAcquire("a", "s").acquired());
  first = {};
  CHECK(second.BecomeStream());
}

TEST_CASE("access log: a line has no secrets", "[proxy]") {
  TempDir directory;
  auto file = AccessLogFile::Open(directory.File("access.log"));
  REQUIRE_THAT(file, IsOk());
  Counters counters;
  AccessLog log(file->get(), &counters);
  RequestLog requests(log, counters);
  const std::string bytes = "POST /a\"b/" + std::string(300, 'p') +
                            "?token=secret HTTP/1.1\r\nHost: a host\"\r\n"
                            "Cookie: __Host-carme-job=secret\r\n\r\n";
  RequestHead head;
  REQUIRE(ScanRequest(bytes, HeadLimits(), &head).state == ScanState::kDone);
  {
    RequestRecord record =
        requests.Begin(head, "192.0.2.7", "id1", "t1", "1.1");
    record.SetDestination(Destination::kJob, "a\nda");
    record.SetStatus(200);
    record.Received(7);
    record.Sent(1234);
    RequestRecord moved = std::move(record);
    moved = requests.Begin(head, "192.0.2.8", "id2", "t2", "2");
    log.Flush();
    CHECK(counters.log_lines.Get() == 1);
  }
  CHECK(*ReadFile(directory.File("access.log")) != "");
  log.Flush();
  log.Flush();
  const std::string text = *ReadFile(directory.File("access.log"));
  INFO(text);
  CHECK_FALSE(Has(text, "secret"));
  CHECK(
      Has(text,
          " client=192.0.2.7 id=id1 trace=t1 http=1.1 method=POST host=a?host?"
          " path=/a?b/ppp"));
  CHECK(Has(text, "ppp to=job user=a?da status=200 in=7 out=1234 ms="));
  CHECK(Has(text, " client=192.0.2.8 id=id2 trace=t2 http=2 "));
  CHECK(Has(text, "ppp to=local user=- status=0 in=0 out=0 ms="));
  CHECK(counters.log_lines.Get() == 2);
  CHECK(text.find('\n') < 500);
  CHECK(counters.Of(Destination::kJob).by_status[2].Get() == 1);
  CHECK(counters.Of(Destination::kLocal).by_status[0].Get() == 1);
}

TEST_CASE("access log: a line is written when its loop is idle", "[proxy]") {
  TempDir directory;
  const std::string path = directory.File("access.log");
  auto file = AccessLogFile::Open(path);
  REQUIRE_THAT(file, IsOk());
  Counters counters;
  AccessLog log(file->get(), &counters);
  auto loop = *net::EventLoop::Create();
  LogFlushTimer rate_limiter(*loop, log);
  loop->OnTurnEnd([&rate_limiter] { rate_limiter.EndTurn(); });
  std::thread thread([&loop] { loop->Run(); });
  std::string all;
  const auto append = [&](const std::string& line) {
    all += line;
    loop->Post([&log, line] { log.Append(line); });
  };
  // The second follows at once, nothing after it.
  for (const char* line : {"one\n", "two\n"}) {
    append(line);
    CHECK(testing::WaitFor([&] { return *ReadFile(path) == all; }));
  }
  append(std::string(40'000, 'x') + "\n");
  append("three\n");
  CHECK(testing::WaitFor([&] { return *ReadFile(path) == all; }));
  loop->Stop();
  thread.join();
  CHECK(counters.log_lines.Get() == 4);
}

TEST_CASE("access log: continues in a new file after a rotation", "[proxy]") {
  TempDir directory;
  const std::string path = directory.File("access.log");
  auto file = AccessLogFile::Open(path);
  REQUIRE_THAT(file, IsOk());
  Counters counters;
  AccessLog log(file->get(), &counters);
  log.Append("one\n");
  log.Flush();
  std::filesystem::rename(path, path + ".1");
  log.Append("two\n");
  log.Flush();
  REQUIRE_THAT((*file)->Reopen(), IsOk());
  log.Append("three\n");
  log.Flush();
  CHECK(*ReadFile(path + ".1") == "one\ntwo\n");
  CHECK(*ReadFile(path) == "three\n");
  // On error, the old file stays.
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK_FALSE((*file)->Reopen().ok());
}

TEST_CASE("access log: counts lines that cannot be written", "[proxy]") {
  auto full = AccessLogFile::Open("/dev/full");
  REQUIRE_THAT(full, IsOk());
  Counters counters;
  AccessLog log(full->get(), &counters);
  log.Append("one\n");
  log.Append("two\n");
  log.Flush();
  CHECK(counters.log_lines.Get() == 0);
  CHECK(counters.log_lines_lost.Get() == 2);
}

TEST_CASE("metrics: hold each series once, however many loops there are",
          "[proxy]") {
  const Counters a, b;
  MetricsInput input;
  input.loops = {&a, &b};
  std::set<std::string> series;
  std::istringstream lines(MetricsText(input));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    INFO(line);
    CHECK(series.insert(line.substr(0, line.rfind(' '))).second);
  }
  CHECK(series.size() < 150);
}

TEST_CASE("metrics: are summed over the loops", "[proxy]") {
  Counters a, b;
  a.connections.Add(3);
  b.connections.Add(4);
  a.websockets_open.Add(2);
  a.websockets_open.Subtract();
  a.Of(Destination::kJob).by_status[2].Add(5);
  b.Of(Destination::kJob).by_duration[0].Add(2);
  b.Of(Destination::kJob).by_duration[kDurationBuckets.size()].Add();
  b.Of(Destination::kJob).microseconds.Add(1'500'000);
  b.Of(Limit::kLogins).Add();
  MetricsInput input;
  input.loops = {&a, &b};
  input.open_connections = 9;
  const std::string text = MetricsText(input);
  INFO(text);
  for (const char* line :
       {"# TYPE carme_proxy_connections_total counter\n",
        "\ncarme_proxy_connections_total 7\n",
        "\ncarme_proxy_connections_open 9\n",
        "\ncarme_proxy_websockets_open 1\n",
        "\ncarme_proxy_requests_total{to=\"job\",status=\"2xx\"} 5\n",
        "\ncarme_proxy_request_seconds_bucket{to=\"job\",le=\"0.001\"} 2\n",
        "\ncarme_proxy_request_seconds_bucket{to=\"job\",le=\"300\"} 2\n",
        "\ncarme_proxy_request_seconds_bucket{to=\"job\",le=\"+Inf\"} 3\n",
        "\ncarme_proxy_request_seconds_sum{to=\"job\"} 1.5\n",
        "\ncarme_proxy_request_seconds_count{to=\"job\"} 3\n",
        "\ncarme_proxy_limited_total{limit=\"logins\"} 1\n"}) {
    INFO(line);
    CHECK(Has(text, line));
  }
}

}  // namespace
}  // namespace carme::proxy
