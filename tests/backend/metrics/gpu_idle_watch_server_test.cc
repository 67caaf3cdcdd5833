// The way from samples to reports about idle GPUs, with real databases.
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/metrics/gpu_idle/gpu_idle_watch.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/fake_clock.h"
#include "tests/support/servers/tsdb_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::metrics {
namespace {

using Kind = TsdbServer::Kind;

class FakeGpuUseBackend : public GpuUseBackend {
 public:
  absl::StatusOr<v1::ListJudgedJobsResponse> ListJudgedJobs() override {
    if (!error.ok()) return error;
    return jobs;
  }
  absl::Status ReportGpuUse(const v1::ReportGpuUseRequest& request) override {
    reported.push_back(request);
    return absl::OkStatus();
  }
  void Judge(int threshold_percent) {
    jobs.Clear();
    v1::JudgedJob* job = jobs.add_jobs();
    job->set_job_id(kJob);
    job->set_threshold_percent(threshold_percent);
    job->mutable_window()->set_seconds(1800);
    job->set_gpus(2);
  }

  v1::ListJudgedJobsResponse jobs;
  absl::Status error;
  std::vector<v1::ReportGpuUseRequest> reported;
};

// carme-metrics as far as GPUs need it. Samples are of GPUs 0 and 1 of n1.
struct Site {
  explicit Site(Kind kind) : database(kind) { backend.Judge(2); }

  // A sample of each GPU every 10 s, in the minutes before now.
  void Write(absl::Duration from, absl::Duration to, double first,
             double second) {
    const std::map<std::string, double> values = {{"0", first}, {"1", second}};
    for (const auto& [gpu, value] : values) {
      v1::WriteSamplesRequest request;
      request.set_job_id(kJob);
      v1::NodeSamples* node = request.add_nodes();
      node->set_node("n1");
      node->set_sent_at_ms(absl::ToUnixMillis(now));
      const auto count = static_cast<size_t>((from - to) / absl::Seconds(10));
      v1::SampleSeries* series =
          AddSeries("carme_gpu_utilization_ratio", now - from,
                    absl::Seconds(10), std::vector<double>(count, value), node);
      (*series->mutable_labels())["gpu"] = gpu;
      (*series->mutable_labels())["uuid"] = absl::StrCat("GPU-", gpu);
      REQUIRE_THAT(ingest.Write(kJob, Encoded(request)), IsOk());
    }
  }
  // Until queries show samples of the last minute.
  void Await() {
    REQUIRE(testing::WaitFor([&] {
      const auto rows =
          reader.ReadLargestOfGpus(kJob, "carme_gpu_utilization_ratio",
                                   {.from_ms = absl::ToUnixMillis(now),
                                    .to_ms = absl::ToUnixMillis(now),
                                    .step_s = 3600},
                                   60);
      return rows.ok() && rows->size() == 2;
    }));
  }
  // Minutes of no use by GPU; nullopt: nothing was reported.
  using Idle = std::map<std::string, int64_t>;
  std::optional<Idle> Measure(GpuIdleWatch* watch) {
    backend.reported.clear();
    watch->Step();
    if (backend.reported.empty()) return std::nullopt;
    REQUIRE(backend.reported.size() == 1);
    REQUIRE(backend.reported[0].jobs_size() == 1);
    const v1::JobGpuUse& job = backend.reported[0].jobs(0);
    CHECK(job.job_id() == kJob);
    Idle idle;
    for (const v1::GpuUse& gpu : job.gpus()) {
      CHECK(gpu.gpu().node() == "n1");
      idle[gpu.gpu().gpu()] = gpu.idle_for().seconds() / 60;
    }
    return idle;
  }
  GpuIdleWatch Watch() {
    return GpuIdleWatch(
        {.reader = &reader, .backend = &backend, .clock = &clock});
  }

  const absl::Time now =
      absl::FromUnixSeconds(absl::ToUnixSeconds(absl::Now()));
  TsdbServer database;
  FakeClock clock{now};
  KnownJobs jobs;
  DatabaseReader reader{{.url = database.url()}, absl::Seconds(20)};
  RemoteWriter writer{
      {.address = {.url = database.url()}, .timeout = absl::Seconds(20)}};
  SampleIngest ingest{{.writer = &writer, .jobs = &jobs, .clock = &clock}, {}};
  FakeGpuUseBackend backend;
};

TEST_CASE("idle GPU watch: reports nothing without the backend or database",
          "[metrics]") {
  Site site(Kind::kVictoriaMetrics);
  GpuIdleWatch watch = site.Watch();
  site.backend.error = absl::UnavailableError("away");
  CHECK_FALSE(site.Measure(&watch));
  site.backend.error = absl::OkStatus();
  // Its agent sent no samples: no GPU is known.
  CHECK(site.Measure(&watch) == Site::Idle{});
  site.backend.jobs.Clear();
  CHECK_FALSE(site.Measure(&watch));
  site.backend.Judge(2);
  site.database.Stop();
  CHECK_FALSE(site.Measure(&watch));
}

TEST_CASE("idle GPU watch: measures each GPU, also after a restart",
          "[metrics]") {
  for (const Kind kind : {Kind::kVictoriaMetrics, Kind::kPrometheus}) {
    CAPTURE(static_cast<int>(kind));
    Site site(kind);
    site.Write(absl::Minutes(25), absl::Minutes(10), 0.9, 0.01);
    site.Write(absl::Minutes(10), absl::ZeroDuration(), 0.01, 0.01);
    site.Await();
    GpuIdleWatch watch = site.Watch();
    const std::optional<Site::Idle> idle = site.Measure(&watch);
    REQUIRE(idle);
    REQUIRE(idle->size() == 2);
    // Never more than it was, and at most two windows less.
    CHECK(idle->at("0") <= 10);
    CHECK(idle->at("0") >= 7);
    CHECK(idle->at("1") <= 25);
    CHECK(idle->at("1") >= 22);
    // With another threshold both are used.
    site.backend.Judge(1);
    CHECK(site.Measure(&watch) == Site::Idle{{"0", 0}, {"1", 0}});
  }
}

TEST_CASE("idle GPU watch: a gap ends the idle time", "[metrics]") {
  Site site(Kind::kVictoriaMetrics);
  site.Write(absl::Minutes(25), absl::Minutes(15), 0, 0);
  site.Write(absl::Minutes(10), absl::ZeroDuration(), 0, 0);
  site.Await();
  GpuIdleWatch watch = site.Watch();
  const std::optional<Site::Idle> idle = site.Measure(&watch);
  REQUIRE(idle);
  CHECK(idle->at("0") <= 10);
  // No samples any more: the source is dead.
  site.clock.Advance(absl::Seconds(30));
  CHECK(site.Measure(&watch)->size() == 2);
  site.clock.Advance(absl::Seconds(80));
  CHECK(site.Measure(&watch) == Site::Idle{});
}

}  // namespace
}  // namespace carme::metrics
