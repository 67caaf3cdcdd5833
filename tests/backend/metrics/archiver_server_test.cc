// The way of a job from its samples to its archive, with real databases.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/metrics/archive/archiver.h"
#include "backend/metrics/pages/finding_pages.h"
#include "backend/metrics/pages/job_pages.h"
#include "common/clock.h"
#include "common/file.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/fake_clock.h"
#include "tests/support/servers/tsdb_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::metrics {
namespace {

using Kind = TsdbServer::Kind;

class FakeRecords : public JobRecords {
 public:
  absl::StatusOr<v1::MeasuredJob> Find(const std::string& job) override {
    const auto found = jobs.find(job);
    if (found == jobs.end()) return absl::NotFoundError("no such job");
    return found->second;
  }
  absl::Status RecordNodeFindings(
      const v1::RecordNodeFindingsRequest& request) override {
    findings.push_back(request);
    return absl::OkStatus();
  }
  std::map<std::string, v1::MeasuredJob> jobs;
  std::vector<v1::RecordNodeFindingsRequest> findings;
};

// carme-metrics without its ports. A second one on the same directory is what a
// restart leaves.
struct Setup {
  Setup(const TempDir& dir, const TsdbServer& database, const Clock* clock)
      : reader({.url = database.url()}, absl::Seconds(20)),
        writer(
            {.address = {.url = database.url()}, .timeout = absl::Seconds(20)}),
        ingest({.writer = &writer, .jobs = &jobs, .clock = clock}, {}),
        store(dir.path(), {}),
        archiver({.store = &store,
                  .ingest = &ingest,
                  .jobs = &jobs,
                  .reader = &reader,
                  .records = &records,
                  .clock = clock,
                  .rules = &rules,
                  .notes_directory = dir.path()}),
        pages({.store = &store,
               .ingest = &ingest,
               .reader = &reader,
               .clock = clock}),
        findings({.store = &store,
                  .ingest = &ingest,
                  .jobs = &jobs,
                  .reader = &reader,
                  .rules = &rules,
                  .clock = clock}) {}

  // Finds a GPU whose power is low for 10 s.
  const metric_rules::RuleSet rules =
      metric_rules::ParseRules(
          "rules:\n- name: low-power\n  title: Low power\n  per: [node, gpu]\n"
          "  for: 10s\n  when: [{series: carme_gpu_power_watts, below: 2}]\n"
          "  remedy: Use it.\n"
          "  translations: {de: {title: Niedrig, remedy: Nutzen.}}\n",
          "rules.yaml")
          .value();

  KnownJobs jobs;
  DatabaseReader reader;
  RemoteWriter writer;
  SampleIngest ingest;
  ArchiveStore store;
  FakeRecords records;
  Archiver archiver;
  JobPages pages;
  FindingPages findings;
};

v1::MeasuredJob Record(absl::Time from, absl::Time to) {
  v1::MeasuredJob job;
  job.set_job_id(kJob);
  job.set_owner("ada");
  job.add_nodes("n1");
  job.set_started_at_ms(absl::ToUnixMillis(from));
  job.set_ended_at_ms(absl::ToUnixMillis(to));
  return job;
}

// 60 s of a gauge with a gap of 20 s, and a counter, of a job that ended now.
v1::WriteSamplesRequest MinuteWithGap(absl::Time end) {
  v1::WriteSamplesRequest request;
  request.set_job_id(kJob);
  v1::NodeSamples* node = request.add_nodes();
  node->set_node("n1");
  node->set_sent_at_ms(absl::ToUnixMillis(end));
  node->set_missed(20);
  const absl::Time begin = end - absl::Seconds(59);
  const std::vector<double> first(20, 1.0);
  v1::SampleSeries* gauge =
      AddSeries("carme_gpu_power_watts", begin, absl::Seconds(1), first, node);
  (*gauge->mutable_labels())["gpu"] = "0";
  gauge->set_source(7);
  for (int i = 0; i < 20; ++i) {
    gauge->add_times_ms(i == 0 ? 21'000 : 1000);
    gauge->add_values(3.0);
  }
  AddSeries("carme_job_cpu_seconds_total", begin, absl::Seconds(59), {10, 70},
            node);
  v1::SampleSource* source = node->add_sources();
  source->set_id(7);
  source->set_name("nvml");
  source->set_version("550");
  v1::NodeEvent* event = node->add_events();
  event->set_time_ms(absl::ToUnixMillis(end));
  event->set_kind("oom");
  return request;
}

// Until the database shows the samples of MinuteWithGap() to queries.
void AwaitSamples(const TsdbServer& database, absl::Time end) {
  REQUIRE(database
              .Get(absl::StrCat("/api/v1/query?query=count_over_time("
                                "carme_job_cpu_seconds_total[2m])&time=",
                                absl::ToUnixSeconds(end) + 1),
                   "\"2\"")
              .find("\"2\"") != std::string::npos);
}

int CountGaps(const google::protobuf::RepeatedField<double>& values) {
  int gaps = 0;
  for (const double value : values) gaps += std::isnan(value) ? 1 : 0;
  return gaps;
}

absl::Time WholeSecond() {
  return absl::FromUnixSeconds(absl::ToUnixSeconds(absl::Now()));
}

TEST_CASE("archiver: archives a job at its end", "[metrics]") {
  for (const Kind kind : {Kind::kVictoriaMetrics, Kind::kPrometheus}) {
    CAPTURE(static_cast<int>(kind));
    TempDir dir;
    TsdbServer database(kind);
    const absl::Time end = WholeSecond();
    FakeClock clock(end);
    Setup setup(dir, database, &clock);
    REQUIRE_THAT(setup.ingest.Write(kJob, Encoded(MinuteWithGap(end))), IsOk());
    setup.records.jobs[kJob] = Record(end - absl::Seconds(59), end);
    AwaitSamples(database, end);
    setup.jobs.SetEnded(kJob);
    setup.archiver.OnEnded(kJob);
    setup.archiver.Step();
    CHECK_FALSE(setup.store.Has(kJob));  // the database may lag behind
    clock.Advance(absl::Seconds(10));
    setup.archiver.Step();
    CHECK(setup.archiver.counts().archived == 1);
    const auto archive = setup.store.Read(kJob);
    REQUIRE_THAT(archive, IsOk());
    REQUIRE(archive->series_size() == 2);
    const archive::v1::ArchivedSeries& gauge = archive->series(0);
    CHECK(gauge.name() == "carme_gpu_power_watts");
    CHECK(gauge.node() == "n1");
    CHECK(gauge.labels().at("gpu") == "0");
    CHECK(gauge.source() == 7);
    CHECK(gauge.resolutions(0).step_s() == 1);
    CHECK(gauge.resolutions(0).values_size() == 60);
    const int gaps = CountGaps(gauge.resolutions(0).values());
    CHECK(gaps >= 18);
    CHECK(gaps <= 20);
    CHECK(archive->sources(0).source().version() == "550");
    CHECK(archive->events(0).kind() == "oom");
    CHECK(archive->quality(0).received() == 42);
    CHECK(archive->quality(0).missed() == 20);
    CHECK_FALSE(ReadFile(dir.File(std::string(kJob) + ".notes")).ok());
    CHECK(setup.ingest.Find(kJob) == nullptr);

    // The page of the job is the same without the database.
    database.Stop();
    v1::GetJobMetricsRequest request;
    request.set_job_id(kJob);
    request.add_names("carme_gpu_power_watts");
    const auto page = setup.pages.Get(setup.records.jobs[kJob], request);
    REQUIRE_THAT(page, IsOk());
    CHECK(page->origin() == v1::GetJobMetricsResponse::ORIGIN_ARCHIVE);
    CHECK(page->problem() == "");
    REQUIRE(page->series_size() == 1);
    CHECK(page->series(0).values_size() == 60);
    CHECK(CountGaps(page->series(0).values()) == gaps);
    CHECK(page->series(0).values(59) == 3);
    CHECK(page->quality(0).missed() == 20);
  }
}

// Two hours have steps of 10 s; a mean of 10 s hides the peak of a second.
TEST_CASE("archiver: keeps the largest sample of a long job", "[metrics]") {
  for (const Kind kind : {Kind::kVictoriaMetrics, Kind::kPrometheus}) {
    CAPTURE(static_cast<int>(kind));
    TempDir dir;
    TsdbServer database(kind);
    const absl::Time end = WholeSecond();
    FakeClock clock(end);
    Setup setup(dir, database, &clock);
    v1::WriteSamplesRequest request = MinuteWithGap(end);
    v1::NodeSamples* const node = request.mutable_nodes(0);
    std::vector<double> bytes(60, 1e9);
    bytes[37] = 9e9;
    AddSeries("carme_job_memory_bytes", end - absl::Seconds(59),
              absl::Seconds(1), bytes, node);
    (*AddSeries("carme_job_memory_bytes", end - absl::Seconds(59),
                absl::Seconds(1), {4e9, 8e9}, node)
          ->mutable_labels())["step"] = "0";
    REQUIRE_THAT(setup.ingest.Write(kJob, Encoded(request)), IsOk());
    AwaitSamples(database, end);
    setup.records.jobs[kJob] = Record(end - absl::Hours(2), end);
    setup.jobs.SetEnded(kJob);
    setup.archiver.OnEnded(kJob);
    clock.Advance(absl::Seconds(10));
    setup.archiver.Step();
    const auto archive = setup.store.Read(kJob);
    REQUIRE_THAT(archive, IsOk());
    std::map<std::string, double> peaks;
    for (const archive::v1::ArchivedSeries& series : archive->series()) {
      CHECK(series.resolutions(0).step_s() == 10);
      CHECK(series.has_peak() == !series.name().ends_with("_total"));
      const auto step = series.labels().find("step");
      const bool is_step = step != series.labels().end();
      peaks[series.name() + (is_step ? "," + step->second : "")] =
          series.peak();
    }
    CHECK(peaks["carme_job_memory_bytes"] == 9e9);
    CHECK(peaks["carme_job_memory_bytes,0"] == 8e9);
    CHECK(peaks["carme_gpu_power_watts"] == 3);
    for (const v1::ResourceUse& use : archive->receipt().used()) {
      if (use.series() != "carme_job_memory_bytes") continue;
      CHECK(use.peak() == 9e9);
      CHECK(use.peak_of_means_s() == 0);
    }
  }
}

TEST_CASE("archiver: a crash before the archive loses nothing", "[metrics]") {
  TempDir dir;
  TsdbServer database(Kind::kVictoriaMetrics);
  const absl::Time end = WholeSecond();
  FakeClock clock(end);
  {
    Setup before(dir, database, &clock);
    REQUIRE_THAT(before.ingest.Write(kJob, Encoded(MinuteWithGap(end))),
                 IsOk());
    before.archiver.Step();  // writes notes
  }
  AwaitSamples(database, end);
  // Its end was not observed: the backend is asked.
  Setup after(dir, database, &clock);
  after.records.jobs[kJob] = Record(end - absl::Seconds(59), end);
  after.archiver.Restore();
  after.archiver.Step();
  clock.Advance(absl::Seconds(10));
  after.archiver.Step();
  const auto archive = after.store.Read(kJob);
  REQUIRE_THAT(archive, IsOk());
  CHECK(archive->series_size() == 2);
  CHECK(archive->events_size() == 1);
  CHECK(archive->quality(0).received() == 42);
  CHECK(after.jobs.HasEnded(kJob));
}

TEST_CASE("archiver: a crash between archive and notes keeps the archive",
          "[metrics]") {
  TempDir dir;
  TsdbServer database(Kind::kVictoriaMetrics);
  FakeClock clock(WholeSecond());
  Setup setup(dir, database, &clock);
  archive::v1::JobArchive archive;
  archive.mutable_job()->set_job_id(kJob);
  archive.mutable_job()->set_owner("ada");
  REQUIRE_THAT(setup.store.Write(archive), IsOk());
  const std::string notes = dir.File(std::string(kJob) + ".notes");
  REQUIRE_THAT(WriteFile(notes, "", 0600), IsOk());
  setup.archiver.Restore();
  CHECK_FALSE(ReadFile(notes).ok());
  CHECK(setup.ingest.Find(kJob) == nullptr);
  CHECK(setup.store.Read(kJob)->job().owner() == "ada");
}

TEST_CASE("archiver: late samples do not replace an archive", "[metrics]") {
  TempDir dir;
  TsdbServer database(Kind::kVictoriaMetrics);
  const absl::Time end = WholeSecond();
  FakeClock clock(end);
  Setup setup(dir, database, &clock);
  setup.records.jobs[kJob] = Record(end - absl::Seconds(59), end);
  archive::v1::JobArchive archive;
  archive.mutable_job()->set_job_id(kJob);
  archive.mutable_job()->set_owner("kept");
  REQUIRE_THAT(setup.store.Write(archive), IsOk());
  REQUIRE_THAT(setup.ingest.Write(kJob, Encoded(MinuteWithGap(end))), IsOk());
  setup.archiver.OnEnded(kJob);
  clock.Advance(absl::Minutes(20));
  setup.archiver.Step();
  CHECK(setup.store.Read(kJob)->job().owner() == "kept");
  CHECK(setup.ingest.Find(kJob) == nullptr);
}

TEST_CASE("archiver: waits for a database that is away", "[metrics]") {
  TempDir dir;
  TsdbServer database(Kind::kVictoriaMetrics);
  const absl::Time end = WholeSecond();
  FakeClock clock(end);
  Setup setup(dir, database, &clock);
  REQUIRE_THAT(setup.ingest.Write(kJob, Encoded(MinuteWithGap(end))), IsOk());
  setup.records.jobs[kJob] = Record(end - absl::Seconds(59), end);
  AwaitSamples(database, end);
  // Only what it has flushed outlives it.
  database.Get("/internal/force_flush");
  database.Stop();
  setup.archiver.OnEnded(kJob);
  clock.Advance(absl::Seconds(10));
  setup.archiver.Step();
  CHECK_FALSE(setup.store.Has(kJob));
  CHECK(setup.archiver.counts().failed == 1);
  CHECK(setup.archiver.counts().waiting == 1);
  // The page says why it is empty.
  v1::GetJobMetricsRequest request;
  request.set_job_id(kJob);
  auto page = setup.pages.Get(setup.records.jobs[kJob], request);
  REQUIRE_THAT(page, IsOk());
  CHECK(page->origin() == v1::GetJobMetricsResponse::ORIGIN_UNSPECIFIED);
  CHECK(page->problem().find("cannot be reached") != std::string::npos);
  CHECK(page->quality(0).received() == 42);

  database.Start();
  clock.Advance(absl::Seconds(10));
  setup.archiver.Step();
  CHECK(setup.store.Has(kJob));
}

TEST_CASE("archiver: gives up on a database after a week", "[metrics]") {
  TempDir dir;
  TsdbServer database(Kind::kVictoriaMetrics);
  const absl::Time end = WholeSecond();
  FakeClock clock(end);
  Setup setup(dir, database, &clock);
  REQUIRE_THAT(setup.ingest.Write(kJob, Encoded(MinuteWithGap(end))), IsOk());
  setup.records.jobs[kJob] = Record(end - absl::Seconds(59), end);
  database.Stop();
  setup.archiver.OnEnded(kJob);
  clock.Advance(absl::Hours(24 * 7 + 1));
  setup.archiver.Step();
  const auto archive = setup.store.Read(kJob);
  REQUIRE_THAT(archive, IsOk());
  CHECK(archive->series().empty());
  CHECK(archive->events_size() == 1);
}

TEST_CASE("job pages: show a damaged archive as a problem", "[metrics]") {
  TempDir dir;
  TsdbServer database(Kind::kVictoriaMetrics);
  const absl::Time end = WholeSecond();
  FakeClock clock(end);
  Setup setup(dir, database, &clock);
  REQUIRE_THAT(WriteFile(dir.File(std::string(kJob) + ".zst"), "x", 0600),
               IsOk());
  v1::GetJobMetricsRequest request;
  request.set_job_id(kJob);
  const auto page =
      setup.pages.Get(Record(end - absl::Minutes(1), end), request);
  REQUIRE_THAT(page, IsOk());
  CHECK(page->problem().find("damaged") != std::string::npos);
}

TEST_CASE("job pages: refuse times and names that cannot be", "[metrics]") {
  TempDir dir;
  TsdbServer database(Kind::kVictoriaMetrics);
  const absl::Time end = WholeSecond();
  FakeClock clock(end);
  Setup setup(dir, database, &clock);
  const v1::MeasuredJob job = Record(end - absl::Minutes(1), end);
  v1::GetJobMetricsRequest request;
  SECTION("from after to") { request.set_from_ms(job.ended_at_ms() + 1); }
  SECTION("negative") { request.set_from_ms(-1); }
  SECTION("too many points") {
    request.set_from_ms(1000);
    request.set_step_s(1);
  }
  SECTION("a name that is a query") { request.add_names("up or up"); }
  CHECK_THAT(setup.pages.Get(job, request),
             StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_CASE("job pages: show a running job from the database", "[metrics]") {
  for (const Kind kind : {Kind::kVictoriaMetrics, Kind::kPrometheus}) {
    TempDir dir;
    TsdbServer database(kind);
    const absl::Time now = WholeSecond();
    FakeClock clock(now);
    Setup setup(dir, database, &clock);
    REQUIRE_THAT(setup.ingest.Write(kJob, Encoded(MinuteWithGap(now))), IsOk());
    v1::MeasuredJob job = Record(now - absl::Seconds(59), now);
    job.clear_ended_at_ms();
    v1::GetJobMetricsRequest request;
    request.set_job_id(kJob);
    request.set_step_s(1);
    v1::GetJobMetricsResponse page;
    CHECK(testing::WaitFor([&] {
      const auto answer = setup.pages.Get(job, request);
      if (answer.ok()) page = *answer;
      return page.series_size() == 2 && page.series(0).values(59) == 3;
    }));
    CHECK(page.origin() == v1::GetJobMetricsResponse::ORIGIN_DATABASE);
    CHECK(page.series(0).source() == 7);
    // A gap of 20 s, of which the first 10 s are not shown.
    CHECK(CountGaps(page.series(0).values()) >= 9);
    CHECK(CountGaps(page.series(0).values()) <= 12);
  }
}

TEST_CASE(
    "findings: of a running job they come from the database, and are kept "
    "with its archive",
    "[metrics]") {
  for (const Kind kind : {Kind::kVictoriaMetrics, Kind::kPrometheus}) {
    CAPTURE(static_cast<int>(kind));
    TempDir dir;
    TsdbServer database(kind);
    const absl::Time end = WholeSecond();
    FakeClock clock(end);
    Setup setup(dir, database, &clock);
    const absl::Time begin = end - absl::Seconds(59);
    v1::MeasuredJob job = Record(begin, end);
    CHECK_THAT(setup.findings.Receipt(job),
               StatusIs(absl::StatusCode::kNotFound, "no samples"));
    REQUIRE_THAT(setup.ingest.Write(kJob, Encoded(MinuteWithGap(end))), IsOk());
    AwaitSamples(database, end);
    job.clear_ended_at_ms();
    setup.jobs.SetRunning(job);
    CHECK(setup.findings.List(job)->evaluated_at_ms() == 0);

    setup.findings.Step();
    auto listed = setup.findings.List(job);
    REQUIRE_THAT(listed, IsOk());
    CHECK(listed->evaluated_at_ms() == absl::ToUnixMillis(end));
    REQUIRE(listed->findings_size() == 1);
    const v1::JobFinding& finding = listed->findings(0);
    CHECK(finding.rule() == "low-power");
    CHECK(finding.labels().at("gpu") == "0");
    CHECK(finding.labels().at("node") == "n1");
    // 1 W in the first 20 s, then a gap and 3 W.
    CHECK(finding.from_ms() == absl::ToUnixMillis(begin));
    CHECK(finding.held_s() == 20);
    CHECK(finding.samples(0).mean() == 1);
    CHECK(finding.samples(0).limit() == "below 2");
    CHECK_FALSE(finding.muted());

    v1::RateJobFindingRequest rating;
    rating.set_rule("none");
    CHECK_THAT(setup.findings.Rate(job, rating),
               StatusIs(absl::StatusCode::kInvalidArgument, "no rule"));
    rating.set_rule("low-power");
    rating.set_muted(true);
    REQUIRE_THAT(setup.findings.Rate(job, rating), IsOk());
    CHECK(setup.findings.List(job)->findings(0).muted());

    setup.records.jobs[kJob] = Record(begin, end);
    job = setup.records.jobs[kJob];
    setup.jobs.SetEnded(kJob);
    setup.archiver.OnEnded(kJob);
    clock.Advance(absl::Seconds(6));
    setup.archiver.Step();
    REQUIRE(setup.store.Has(kJob));
    listed = setup.findings.List(job);
    REQUIRE(listed->findings_size() == 1);
    CHECK(listed->findings(0).muted());
    CHECK(listed->findings(0).held_s() == 20);
    CHECK(listed->findings(0).translations().at("de").title() == "Niedrig");
    CHECK(listed->findings(0).translations().at("de").remedy() == "Nutzen.");

    rating.set_muted(false);
    rating.set_false_alarm(true);
    REQUIRE_THAT(setup.findings.Rate(job, rating), IsOk());
    const auto receipt = setup.findings.Receipt(job);
    REQUIRE_THAT(receipt, IsOk());
    CHECK(receipt->ended());
    CHECK(receipt->length_s() == 59);
    CHECK_FALSE(receipt->findings(0).muted());
    CHECK(receipt->findings(0).false_alarm());
    CHECK(setup.findings.false_alarms().at("low-power") == 1);
    // 60 s of CPU in 59 s.
    CHECK(receipt->enough().cpus_per_node() == 2);
  }
}

}  // namespace
}  // namespace carme::metrics
