// Clients that take a long time on purpose, and what others notice of them.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/proxy/fixtures/http2_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

// As carme-frontend: a thread a connection, and 503 beyond it.
constexpr int kFrontendThreads = 512;
constexpr int kStreams = 100;  // on one HTTP/2 connection
// What the portal promises to others during an attack.
constexpr absl::Duration kPromised = absl::Milliseconds(300);

void RaiseDescriptorLimit() {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
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

// A person at another address, on a new connection each time.
class Bystander {
 public:
  explicit Bystander(ProxyFixture& fixture) : fixture_(fixture) {}

  void Ask() {
    TlsClient::Options options = fixture_.ClientOptions(kPortalHost);
    options.from = "127.0.0.2";
    const absl::Time start = absl::Now();
    TlsClient client(fixture_.port, options);
    const bool posts = times_.size() % 2 == 0;
    const TestResponse answer =
        client.Ask(posts ? Request("POST /echo", kPortalHost,
                                   "Content-Length: 2\r\n", "{}")
                         : Request("GET /echo", kPortalHost));
    times_.push_back(absl::Now() - start);
    if (answer.status != 200) ++failures_;
  }
  absl::Duration Median() {
    auto middle = times_.begin() + static_cast<ptrdiff_t>(times_.size() / 2);
    std::nth_element(times_.begin(), middle, times_.end());
    return *middle;
  }
  size_t count() const { return times_.size(); }
  int failures() const { return failures_; }
  void Clear() { times_.clear(); }

 private:
  ProxyFixture& fixture_;
  std::vector<absl::Duration> times_;
  int failures_ = 0;
};

// 5,000 requests that do not end, of three kinds, each from an address of its
// own. They are under way as long as this lives.
class Attack {
 public:
  explicit Attack(ProxyFixture& fixture) : fixture_(fixture) {}

  void Begin() {
    BodiesThatNeverArrive(20);
    AnswersThatAreNotRead(26);
    SlowHttp1(400);
  }
  int requests() const { return requests_; }

 private:
  Http2Client& Speak(const std::string& from, uint32_t window) {
    TlsClient::Options tls = fixture_.ClientOptions(kPortalHost);
    tls.from = from;
    Http2Client::Options options;
    options.window = window;
    options.reads_on = false;
    http2_.push_back(
        std::make_unique<Http2Client>(fixture_.port, tls, options));
    return *http2_.back();
  }
  void BodiesThatNeverArrive(int connections) {
    for (int i = 0; i < connections; ++i) {
      Http2Client& client = Speak("127.0.0.3", 65535);
      for (int j = 0; j < kStreams; ++j) {
        client.Open(Fields("POST", "/carme.v1.JobService/ListJobs",
                           {{"content-length", "60000"}}),
                    false);
        ++requests_;
      }
      client.Sync();
    }
  }
  void AnswersThatAreNotRead(int connections) {
    for (int i = 0; i < connections; ++i) {
      Http2Client& client = Speak("127.0.0.4", 0);
      for (int j = 0; j < kStreams; ++j) {
        client.Open(Fields("GET", "/asset"));
        ++requests_;
      }
      client.Sync();
    }
  }
  void SlowHttp1(int connections) {
    for (int i = 0; i < connections; ++i) {
      TlsClient::Options tls = fixture_.ClientOptions(kPortalHost);
      tls.from = "127.0.0.5";
      http1_.push_back(std::make_unique<TlsClient>(fixture_.port, tls));
      http1_.back()->Send(i % 2 == 0
                              ? std::string("GET / HTTP/1.1\r\nHost: ")
                              : Request("POST /echo", kPortalHost,
                                        "Content-Length: 60000\r\n", "{"));
      ++requests_;
    }
  }

  ProxyFixture& fixture_;
  std::vector<std::unique_ptr<Http2Client>> http2_;
  std::vector<std::unique_ptr<TlsClient>> http1_;
  int requests_ = 0;
};

TEST_CASE("slow clients: 5,000 requests that do not end delay no other address",
          "[proxy]") {
  RaiseDescriptorLimit();
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    // They are under way until the end of the test.
    config.limits.portal_client_timeout = kWaitTimeout;
    config.limits.request_header_timeout = kWaitTimeout;
  });
  fixture.frontend.LimitConnections(kFrontendThreads);
  Bystander bystander(fixture);
  for (int i = 0; i < 50; ++i) bystander.Ask();
  const absl::Duration idle = bystander.Median();
  bystander.Clear();

  std::atomic<bool> attacked = false;
  std::thread asking([&] {
    while (!attacked) bystander.Ask();
    for (int i = 0; i < 50; ++i) bystander.Ask();
  });
  Attack attack(fixture);
  attack.Begin();
  attacked = true;
  asking.join();
  const absl::Duration busy = bystander.Median();
  WARN("median of " << bystander.count() << " requests: idle "
                    << absl::FormatDuration(idle) << ", during the attack "
                    << absl::FormatDuration(busy));
  CHECK(attack.requests() == 5000);
  CHECK(bystander.failures() == 0);
  CHECK(busy < std::max(kPromised, 20 * idle));
  // None of the 5,000 has a thread of the frontend.
  CHECK(fixture.frontend.open_connections() <= 80);
}

}  // namespace
}  // namespace carme::testing
