// promtool, Prometheus' own client, asks the portal for a user's jobs: through
// the frontend and the queries of carme-metrics to a real database.
#include <httplib.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/query/database_reader.h"
#include "backend/metrics/query/prometheus_queries.h"
#include "common/clock.h"
#include "tests/backend/metrics/samples.h"
#include "tests/frontend/portal_fixture.h"
#include "tests/support/servers/tsdb_server.h"
#include "tests/support/status_matchers.h"

namespace carme::frontend {
namespace {

using metrics::kJob;
using metrics::kOtherJob;
using testing::kKnownAccessToken;
using testing::PortalFixture;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Forwards as carme-proxy does, with the access token: promtool of Debian 12
// sends no headers of its own.
class ForwardingProxy {
 public:
  explicit ForwardingProxy(int port) : client_("127.0.0.1", port) {
    client_.set_url_encode(false);
    const auto forward = [this](const httplib::Request& request,
                                httplib::Response& response) {
      absl::MutexLock lock(&mutex_);
      httplib::Request sent;
      sent.method = request.method;
      sent.path = request.target;
      sent.body = request.body;
      sent.headers = {
          {"Host", "carme.test"},
          {"X-Carme-Escape-Probe", "%25"},
          {"Authorization", absl::StrCat("Bearer ", kKnownAccessToken)}};
      const std::string type = request.get_header_value("Content-Type");
      if (!type.empty()) sent.set_header("Content-Type", type);
      const httplib::Result result = client_.send(sent);
      response.status = result ? result->status : 502;
      if (result) response.set_content(result->body, "application/json");
    };
    server_.Get(".*", forward);
    server_.Post(".*", forward);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    REQUIRE(testing::WaitFor([this] { return server_.is_running(); }));
  }
  ~ForwardingProxy() {
    server_.stop();
    thread_.join();
  }
  int port() const { return port_; }

 private:
  absl::Mutex mutex_;
  httplib::Client client_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

// A portal whose user has kJob, but not kOtherJob.
class MeasuredPortal {
 public:
  explicit MeasuredPortal(TsdbServer::Kind kind)
      : database_(kind),
        writer_({.address = {.url = database_.url()}}),
        ingest_({.writer = &writer_, .jobs = &known_, .clock = &clock_}, {}),
        reader_({.url = database_.url()}, absl::Seconds(20)),
        queries_(&reader_, {}),
        portal_({.metrics = true}),
        proxy_(portal_.port()) {
    const absl::Time now = absl::Now();
    for (const auto& [job, value] : {std::pair(kJob, 41), {kOtherJob, 42}}) {
      REQUIRE_THAT(
          ingest_.Write(job, metrics::Encoded(metrics::OneSeries(
                                 job, now, {static_cast<double>(value)}))),
          IsOk());
    }
    REQUIRE(Has(database_.Get("/api/v1/label/job/values", kOtherJob), kJob));
    v1::MeasuredJob job;
    job.set_job_id(kJob);
    job.set_started_at_ms(absl::ToUnixMillis(now - absl::Minutes(5)));
    portal_.metrics().SetPrometheus(
        [this, job](const v1::QueryPrometheusRequest& request) {
          return queries_.Answer("ada", {job}, request);
        });
  }

  // What `promtool query ARGUMENTS` prints, with "$SERVER" as the server.
  std::string Ask(const std::string& arguments) {
    const std::string command =
        absl::StrCat("SERVER=http://127.0.0.1:", proxy_.port(), "/prometheus; ",
                     "promtool query ", arguments, " 2>&1; echo \"exit $?\"");
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
        popen(command.c_str(), "r"), pclose);
    REQUIRE(pipe != nullptr);
    std::string text;
    std::array<char, 4096> bytes;
    size_t size = 0;
    while ((size = fread(bytes.data(), 1, bytes.size(), pipe.get())) > 0) {
      text.append(bytes.data(), size);
    }
    return text;
  }

 private:
  TsdbServer database_;
  SystemClock clock_;
  metrics::KnownJobs known_;
  metrics::RemoteWriter writer_;
  metrics::SampleIngest ingest_;
  metrics::DatabaseReader reader_;
  metrics::PrometheusQueries queries_;
  PortalFixture portal_;
  ForwardingProxy proxy_;
};

TEST_CASE("prometheus client: sees the caller's jobs and no others",
          "[frontend]") {
  const auto kind = GENERATE(TsdbServer::Kind::kVictoriaMetrics,
                             TsdbServer::Kind::kPrometheus);
  MeasuredPortal portal(kind);
  std::string instant;
  REQUIRE(testing::WaitFor([&] {
    instant = portal.Ask("instant $SERVER carme_job_memory_bytes");
    return Has(instant, "41");
  }));
  CHECK(Has(instant, absl::StrCat("job=\"", kJob, "\"")));
  CHECK(Has(instant, "exit 0"));
  const std::string range =
      portal.Ask("range $SERVER --step=1s 'max_over_time({job=~\".+\"}[1m])'");
  CHECK(Has(range, kJob));
  const std::string series =
      portal.Ask("series $SERVER --match='{job=~\".+\"}'");
  CHECK(Has(series, "carme_job_memory_bytes"));
  const std::string values = portal.Ask("labels $SERVER job");
  CHECK(Has(values, kJob));
  for (const std::string& text : {instant, range, series, values}) {
    CAPTURE(text);
    CHECK(Has(text, "exit 0"));
    CHECK_FALSE(Has(text, kOtherJob));
  }
}

TEST_CASE("prometheus client: reads constants and errors", "[frontend]") {
  const auto kind = GENERATE(TsdbServer::Kind::kVictoriaMetrics,
                             TsdbServer::Kind::kPrometheus);
  MeasuredPortal portal(kind);
  CHECK(Has(portal.Ask("instant $SERVER 1+1"), "2"));
  const std::string refused = portal.Ask("instant $SERVER 'a @ end()'");
  CHECK(Has(refused, "bad_data"));
  CHECK(Has(refused, "character 3"));
  CHECK(Has(refused, "exit 1"));
  const std::string many =
      portal.Ask("range $SERVER --start=1000 --end=2000000 --step=1s a");
  CHECK(Has(many, "11000 points"));
  CHECK(Has(portal.Ask("instant $SERVER 'label_replace(carme_job_memory_bytes, "
                       "\"x\", \"y\", \"node\", \"(\")'"),
            "execution"));
}

}  // namespace
}  // namespace carme::frontend
