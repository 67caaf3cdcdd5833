// The way of samples into the real databases, and what happens when a database
// is away, slow or full.
#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/ingest/sample_rules.h"
#include "common/clock.h"
#include "common/listen.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/fake_clock.h"
#include "tests/support/servers/tsdb_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::metrics {
namespace {

using Kind = TsdbServer::Kind;

// Answers each write with a status, as a database of another make may.
class FakeDatabase {
 public:
  FakeDatabase() {
    server_.Post("/api/v1/write",
                 [this](const httplib::Request&, httplib::Response& response) {
                   ++writes;
                   response.status = status;
                   response.set_content("why\n", "text/plain");
                 });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    // A stop before the start would have no effect.
    REQUIRE(testing::WaitFor([this] { return server_.is_running(); }));
  }
  ~FakeDatabase() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_); }

  std::atomic<int> status = 204;
  std::atomic<int> writes = 0;

 private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

struct Ingest {
  explicit Ingest(const std::string& url, IngestLimits limits = {},
                  const Clock* clock_in = nullptr,
                  absl::Duration timeout = absl::Seconds(20))
      : writer({.address = {.url = url},
                .timeout = timeout,
                .max_concurrent_writes = 2}),
        ingest({.writer = &writer,
                .jobs = &jobs,
                .clock = clock_in != nullptr ? clock_in : &clock},
               limits) {}

  KnownJobs jobs;
  SystemClock clock;
  RemoteWriter writer;
  SampleIngest ingest;
};

std::string Query(const std::string& selector, absl::Time at) {
  return absl::StrCat("/api/v1/query?time=", absl::ToUnixSeconds(at),
                      "&query=", httplib::detail::encode_query_param(selector));
}

TEST_CASE("sample ingest: refuses samples of another job", "[metrics]") {
  FakeDatabase database;
  Ingest setup(database.url());
  CHECK_THAT(
      setup.ingest.Write(kJob, Encoded(OneSeries(kOtherJob, absl::Now(), {1}))),
      StatusIs(absl::StatusCode::kPermissionDenied, "the job of the cert"));
  CHECK(database.writes == 0);
}

TEST_CASE("sample ingest: refuses samples of an ended job", "[metrics]") {
  FakeDatabase database;
  Ingest setup(database.url());
  REQUIRE_THAT(
      setup.ingest.Write(kJob, Encoded(OneSeries(kJob, absl::Now(), {1}))),
      IsOk());
  setup.jobs.SetEnded(kJob);
  CHECK_THAT(
      setup.ingest.Write(kJob, Encoded(OneSeries(kJob, absl::Now(), {1}))),
      StatusIs(absl::StatusCode::kPermissionDenied, "has ended"));
  CHECK(database.writes == 1);
}

TEST_CASE("sample ingest: rejects samples of a node that the job has returned",
          "[metrics]") {
  FakeDatabase database;
  Ingest setup(database.url());
  v1::MeasuredJob job;
  job.set_job_id(kJob);
  job.add_nodes("n1");
  job.add_nodes("n2");
  setup.jobs.SetRunning(job);
  v1::WriteSamplesRequest request = OneSeries(kJob, absl::Now(), {1, 2});
  *request.add_nodes() = request.nodes(0);
  request.mutable_nodes(1)->set_node("n2");
  job.mutable_nodes()->RemoveLast();
  setup.jobs.SetRunning(job);
  const auto response = setup.ingest.Write(kJob, Encoded(request));
  REQUIRE_THAT(response, IsOk());
  CHECK(response->stored() == 2);
  CHECK(response->rejected() == 2);
  CHECK(setup.ingest.counts().rejected == 2);
  // The job gets the node again, as after a requeue.
  job.add_nodes("n2");
  setup.jobs.SetRunning(job);
  const auto later = setup.ingest.Write(kJob, Encoded(request));
  REQUIRE_THAT(later, IsOk());
  CHECK(later->rejected() == 0);
}

TEST_CASE("sample ingest: refuses a flood and recovers from it", "[metrics]") {
  FakeDatabase database;
  FakeClock clock;
  Ingest setup(database.url(), {.samples_per_s_per_job = 1000}, &clock);
  const std::vector<double> values(20'000, 1.0);
  // 60 s of samples at once: the 60,000 of a whole request.
  int accepted = 0;
  while (setup.ingest.Write(kJob, Encoded(OneSeries(kJob, clock.Now(), values)))
             .ok()) {
    REQUIRE(++accepted < 10);
  }
  CHECK(accepted == 2);
  CHECK(setup.ingest.counts().over_rate == 1);
  CHECK_THAT(
      setup.ingest.Write(kJob, Encoded(OneSeries(kJob, clock.Now(), values))),
      StatusIs(absl::StatusCode::kResourceExhausted, "1000 samples"));
  // The job next to it is not affected.
  CHECK_THAT(setup.ingest.Write(
                 kOtherJob, Encoded(OneSeries(kOtherJob, clock.Now(), {1}))),
             IsOk());
  clock.Advance(absl::Seconds(30));
  CHECK_THAT(
      setup.ingest.Write(kJob, Encoded(OneSeries(kJob, clock.Now(), values))),
      IsOk());
}

TEST_CASE("sample ingest: rejects hostile samples and stores the others",
          "[metrics]") {
  TsdbServer database(Kind::kVictoriaMetrics);
  Ingest setup(database.url(), {.series_per_job = 3});
  const absl::Time now = absl::Now();
  v1::WriteSamplesRequest request = OneSeries(kJob, now, {1, 2});
  v1::NodeSamples* node = request.mutable_nodes(0);
  const double inf = std::numeric_limits<double>::infinity();
  AddSeries("not_finite", now - absl::Seconds(2), absl::Seconds(1),
            {inf, std::nan(""), 7}, node);
  AddSeries("Bad", now, absl::Seconds(1), {1}, node);
  AddSeries("future", now + absl::Hours(2), absl::Seconds(1), {1}, node);
  AddSeries("fourth", now, absl::Seconds(1), {1}, node);
  v1::SampleSeries* wraps =
      AddSeries("fifth", now, absl::Seconds(1), {1}, node);
  wraps->set_times_ms(0, std::numeric_limits<int64_t>::min());
  const auto response = setup.ingest.Write(kJob, Encoded(request));
  REQUIRE_THAT(response, IsOk());
  CHECK(response->stored() == 3);
  CHECK(response->rejected() == 6);
  CHECK(database.Get(Query("not_finite", now), "\"7\"") != "");
  const std::string names =
      database.Get("/api/v1/label/__name__/values", "not_finite");
  for (const char* name : {"Bad", "future", "fourth", "fifth"}) {
    CHECK(names.find(name) == std::string::npos);
  }
}

TEST_CASE("sample ingest: measures the clock of a node", "[metrics]") {
  FakeDatabase database;
  Ingest setup(database.url());
  v1::WriteSamplesRequest request = OneSeries(kJob, absl::Now(), {1});
  request.mutable_nodes(0)->set_sent_at_ms(
      absl::ToUnixMillis(absl::Now() + absl::Hours(1)));
  const auto response = setup.ingest.Write(kJob, Encoded(request));
  REQUIRE_THAT(response, IsOk());
  CHECK(response->clock_offset_ms() > 3'590'000);
  CHECK(response->clock_offset_ms() < 3'610'000);
}

TEST_CASE("sample ingest: a database that is away makes agents keep samples",
          "[metrics]") {
  for (const Kind kind : {Kind::kVictoriaMetrics, Kind::kPrometheus}) {
    TsdbServer database(kind);
    Ingest setup(database.url());
    database.Stop();
    const absl::Time now = absl::Now();
    const v1::WriteSamplesRequest request = OneSeries(kJob, now, {1, 2, 3});
    CHECK_THAT(setup.ingest.Write(kJob, Encoded(request)),
               StatusIs(absl::StatusCode::kUnavailable, "no response"));
    CHECK_FALSE(setup.writer.is_reachable());
    // Without a new connection for each.
    CHECK_THAT(setup.ingest.Write(kJob, Encoded(request)),
               StatusIs(absl::StatusCode::kUnavailable, "a moment ago"));
    database.Start();
    REQUIRE(testing::WaitFor(
        [&] { return setup.ingest.Write(kJob, Encoded(request)).ok(); }));
    CHECK(setup.writer.is_reachable());
    CHECK(setup.ingest.counts().stored == 3);
    CHECK(
        database.Get(
            Query(absl::StrCat("count_over_time(carme_job_memory_bytes{job=\"",
                               kJob, "\",node=\"n1\"}[1m])"),
                  now + absl::Seconds(1)),
            "\"3\"") != "");
  }
}

TEST_CASE("sample ingest: a repeated request stores its samples once",
          "[metrics]") {
  for (const Kind kind : {Kind::kVictoriaMetrics, Kind::kPrometheus}) {
    TsdbServer database(kind);
    const absl::Time now = absl::Now();
    v1::WriteSamplesRequest request = OneSeries(kJob, now, {1, 2, 3});
    {
      Ingest setup(database.url());
      REQUIRE_THAT(setup.ingest.Write(kJob, Encoded(request)), IsOk());
      AddSeries("fresh", now, absl::Seconds(1), {1}, request.mutable_nodes(0));
      const auto again = setup.ingest.Write(kJob, Encoded(request));
      REQUIRE_THAT(again, IsOk());
      CHECK(again->stored() == 4);
      CHECK(setup.ingest.counts().repeated == 3);
      CHECK(setup.ingest.counts().stored == 4);
    }
    // After a restart of carme-metrics, which has forgotten them.
    Ingest setup(database.url());
    CHECK_THAT(setup.ingest.Write(kJob, Encoded(request)), IsOk());
    const std::string sum =
        database.Get(Query("sum_over_time(carme_job_memory_bytes[1m])",
                           now + absl::Seconds(1)),
                     kind == Kind::kPrometheus ? "\"6\"" : "\"");
    CAPTURE(sum);
    CHECK(sum != "");
    // VictoriaMetrics counts equal samples twice, but draws them once.
    CHECK(database.Get(Query("max(carme_job_memory_bytes)", now), "\"3\"") !=
          "");
  }
}

TEST_CASE("sample ingest: a database that never answers blocks few threads",
          "[metrics]") {
  // The kernel accepts; nothing reads.
  const auto silent = ListenTcp("127.0.0.1:0", 64);
  REQUIRE_THAT(silent, IsOk());
  Ingest setup(absl::StrCat("http://127.0.0.1:", *PortOf(silent->get())), {},
               nullptr, absl::Seconds(2));
  std::atomic<int> busy = 0;
  std::atomic<int> failed = 0;
  std::vector<std::thread> agents;
  for (int i = 0; i < 8; ++i) {
    agents.emplace_back([&, i] {
      const std::string job = absl::StrCat("jaaaaaaaaaaaaaa", i);
      const absl::Status status =
          setup.ingest.Write(job, Encoded(OneSeries(job, absl::Now(), {1})))
              .status();
      if (!absl::IsUnavailable(status)) return;
      const bool waited =
          status.message().find("no response") != std::string::npos;
      ++(waited ? failed : busy);
    });
  }
  for (std::thread& agent : agents) agent.join();
  CHECK(failed == 2);
  CHECK(busy == 6);
  CHECK(setup.ingest.counts().stored == 0);
}

TEST_CASE(
    "sample ingest: a database with a full disk makes agents keep samples",
    "[metrics]") {
  // It stores nothing while less than this is free.
  TsdbServer database(Kind::kVictoriaMetrics,
                      {"-storage.minFreeDiskSpaceBytes=1000000GB"});
  Ingest setup(database.url());
  const auto response =
      setup.ingest.Write(kJob, Encoded(OneSeries(kJob, absl::Now(), {1})));
  CHECK_THAT(response, StatusIs(absl::StatusCode::kUnavailable, "read-only"));
  CHECK(setup.ingest.counts().stored == 0);
}

TEST_CASE("sample ingest: sends no samples again that the database refuses",
          "[metrics]") {
  FakeDatabase database;
  Ingest setup(database.url());
  const v1::WriteSamplesRequest request = OneSeries(kJob, absl::Now(), {1});
  for (const int status : {500, 503, 429, 404, 401}) {
    Ingest fresh(database.url());
    database.status = status;
    CHECK_THAT(fresh.ingest.Write(kJob, Encoded(request)),
               StatusIs(absl::StatusCode::kUnavailable,
                        absl::StrCat("it responded ", status, ": why")));
  }
  database.status = 400;
  CHECK_THAT(setup.ingest.Write(kJob, Encoded(request)), IsOk());
  CHECK(setup.ingest.counts().refused == 1);
  CHECK(setup.ingest.counts().stored == 0);
}

TEST_CASE("sample ingest: limits the jobs that it remembers", "[metrics]") {
  FakeDatabase database;
  Ingest setup(database.url(), {.jobs = 1});
  REQUIRE_THAT(
      setup.ingest.Write(kJob, Encoded(OneSeries(kJob, absl::Now(), {1}))),
      IsOk());
  CHECK_THAT(setup.ingest.Write(
                 kOtherJob, Encoded(OneSeries(kOtherJob, absl::Now(), {1}))),
             StatusIs(absl::StatusCode::kResourceExhausted, "1 jobs"));
  setup.ingest.Drop(kJob);
  CHECK_THAT(setup.ingest.Write(
                 kOtherJob, Encoded(OneSeries(kOtherJob, absl::Now(), {1}))),
             IsOk());
}

}  // namespace
}  // namespace carme::metrics
