#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "absl/strings/match.h"
#include "common/file.h"
#include "slurm-hooks/gssr/analyze/export.h"
#include "slurm-hooks/gssr/analyze/recordings.h"
#include "slurm-hooks/gssr/analyze/report.h"
#include "slurm-hooks/gssr/analyze/summary.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::gssr {
namespace {

constexpr char kJson[] =
    R"({"metadata":{"job_id":7,"step_id":0,"label":"a'b","hostname":"n1",
    "proc_id":2,"n_gpus":1,"gpu_ids":[3],"sampling_time":500,"cmd":"run",
    "start_time":"2026-01-31 10:00:00.5"},
    "data":{"3":{"gpu_utilization":[10,90],"sm_active":[0,1],
    "sm_occupancy":[0,0.5],"tensor_active":[0,0.5],"fp64_active":[0,0],
    "fp32_active":[0,0],"fp16_active":[0,0]}}})";

TEST_CASE("gssr-analyze: refuses what is no recording", "[gssr]") {
  CHECK_THAT(ParseCsv(""), StatusIs(absl::StatusCode::kInvalidArgument, ""));
  CHECK_THAT(ParseCsv("a,b\n1,2\n"),
             StatusIs(absl::StatusCode::kInvalidArgument, "timestamp"));
  CHECK_THAT(ParseCsv("timestamp,gpuId,X_avg\n1,2\n1,2,3\n"),
             StatusIs(absl::StatusCode::kInvalidArgument, "line 2"));
  CHECK_THAT(ParseJson("{"),
             StatusIs(absl::StatusCode::kInvalidArgument, "JSON"));
  CHECK_THAT(ParseJson("{}"),
             StatusIs(absl::StatusCode::kInvalidArgument, "metadata"));
  CHECK_THAT(ReadRecordings({"/no/such/folder"}),
             StatusIs(absl::StatusCode::kNotFound, "no recording"));
}

TEST_CASE("gssr-analyze: rates above 2e9 are kept, blanks are absent",
          "[gssr]") {
  const auto series = ParseCsv(
      "timestamp,gpuId,DCGM_FI_PROF_NVLINK_TX_BYTES_avg,"
      "DCGM_FI_PROF_SM_ACTIVE_avg,DCGM_FI_DEV_GPU_UTIL_max\n"
      "0,0,5000000000,140737488355328.00,7\n"
      "1,0,9223372036854775792,,7\n"
      "2,0,1");  // the recorder was killed
  REQUIRE_THAT(series, IsOk());
  REQUIRE(series->at(0).samples.size() == 2);
  const RecordedSample& first = series->at(0).samples[0];
  CHECK(first.Find("nvlink_tx_bytes") == 5e9);
  CHECK_FALSE(first.Find("sm_active"));
  CHECK_FALSE(first.Find("gpu_utilization"));  // only its maximum
  CHECK(series->at(0).samples[1].values.empty());
}

TEST_CASE("gssr-analyze: blanks are absent in JSON and SQLite of 0.3 too",
          "[gssr]") {
  const auto series = ParseJson(
      R"({"metadata":{"job_id":7},"data":{"0":{"gpu_utilization":
      [9223372036854775792,9223372036854775794,40],
      "sm_active":[140737488355328.0,0.5,140737488355330.0],
      "nvlink_tx_bytes":[5e9,null,1]}}})");
  REQUIRE_THAT(series, IsOk());
  const auto& samples = series->at(0).samples;
  REQUIRE(samples.size() == 3);
  CHECK_FALSE(samples[0].Find("gpu_utilization"));
  CHECK_FALSE(samples[1].Find("gpu_utilization"));
  CHECK(samples[2].Find("gpu_utilization") == 40);
  CHECK_FALSE(samples[0].Find("sm_active"));
  CHECK(samples[1].Find("sm_active") == 0.5);
  CHECK(samples[0].Find("nvlink_tx_bytes") == 5e9);
  const TempDir directory;
  const std::string path = directory.File("x.sqlite3");
  GpuSeries blank;
  blank.samples.push_back({.time_s = 0,
                           .values = {{"sm_active", 140737488355328.0},
                                      {"power_usage", 9223372036854775792.0},
                                      {"gpu_utilization", 7}}});
  REQUIRE_THAT(ExportSqlite({.series = {blank}, .warnings = {}}, path), IsOk());
  const auto read = ReadSqlite(path);
  REQUIRE_THAT(read, IsOk());
  CHECK(read->at(0).samples[0].values.size() == 1);
}

TEST_CASE("gssr-analyze: reads times of all generations", "[gssr]") {
  const absl::Time time = absl::FromUnixSeconds(1769850000);  // 09:00:00 UTC
  CHECK(ParseRecordedTime("2026-01-31T10:00:00+0100") == time);
  CHECK(ParseRecordedTime("2026-01-31T09:00:00Z") == time);
  CHECK(ParseRecordedTime("2026-01-31 09:00:00") == time);
  CHECK(ParseRecordedTime("2026-01-31 09:00:00.5") ==
        time + absl::Milliseconds(500));
  CHECK(ParseRecordedTime("1769850000.0") == time);
  for (const char* const text : {"", "soon", "0", "-1", "nan", "1e300"}) {
    INFO(text);
    CHECK_FALSE(ParseRecordedTime(text));
  }
}

TEST_CASE("gssr-analyze: reads meta.txt of 2.0 and of 2.1", "[gssr]") {
  const auto broken = ParseMeta(
      "{\n    \"jobid\": \"12\",\n    \"executable\": \"bash\",\n"
      "    \"arguments\": \"'-lc' '\n  echo \"[test] $X\"\n ' \"\n}\n");
  REQUIRE_THAT(broken, IsOk());
  CHECK(broken->job_id == "12");
  CHECK(broken->command == "bash '-lc' '\n  echo \"[test] $X\"\n '");
  const auto list = ParseMeta(
      "{\"date\":\"2026-01-31T10:00:00+0100\",\"jobid\":\"13\","
      "\"executable\":\"a\",\"arguments\": [\"b c\"]}");
  REQUIRE_THAT(list, IsOk());
  CHECK(list->started == absl::FromUnixSeconds(1769850000));
  CHECK(list->command == "a b c");
  CHECK_FALSE(ParseMeta("arguments").ok());
}

TEST_CASE("gssr-analyze: computes the score for each sample", "[gssr]") {
  Recordings recordings{.series = *ParseJson(kJson), .warnings = {}};
  const auto jobs = Summarize(recordings);
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].job.scope == "job 7");
  CHECK(jobs[0].gpus[0].scope == "GPU 7.0/2/3");
  // The mean of 0 and 0.649863, not the score of the means.
  CHECK(jobs[0].job.score->mean == Approx(0.649863 / 2).margin(1e-6));
  CHECK(jobs[0].job.score->max == Approx(0.649863).margin(1e-6));
  CHECK(absl::StrContains(FormatReport(jobs), "F: FLOP activity"));
  CHECK(absl::StrContains(FormatReport(jobs),
                          "name: a'b\ncommand: run\nnodes: n1\n"
                          "started: 2026-01-31 10:00:00 UTC\n"));
}

TEST_CASE("gssr-analyze: the rating adds the kinds of tensor pipes", "[gssr]") {
  const Recordings recordings{
      .series = *ParseCsv(
          "timestamp,gpuId,tensor_active,imma_active,hmma_active,dfma_active,"
          "fp64_active,fp32_active,fp16_active,int_active\n"
          "1,0,0.5,0.25,0.5,0.125,0,0,0,0.125\n"),
      .warnings = {}};
  CHECK(Summarize(recordings)[0].evaluations["."].total.compute->value == 1);
}

TEST_CASE("gssr-analyze: without pipes the score is unavailable", "[gssr]") {
  Recordings recordings{
      .series = *ParseCsv("timestamp,gpuId,DCGM_FI_DEV_GPU_UTIL_avg,"
                          "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_avg\n"
                          "1,0,40,1800000\n2,0,80,1800000\n1,1,30,\n"),
      .warnings = {}};
  const auto jobs = Summarize(recordings);
  CHECK_FALSE(jobs[0].job.score);
  CHECK(jobs[0].job.energy_wh == Approx(1));  // 3.6 million mJ
  CHECK(jobs[0].load_balance == Approx(0.5));
  CHECK(absl::StrContains(FormatReport(jobs), "unavailable"));
}

TEST_CASE("gssr-analyze: reads the database that it exports", "[gssr]") {
  const TempDir directory;
  const Recordings recordings{.series = *ParseJson(kJson), .warnings = {}};
  const std::string path = directory.File("x.sqlite3");
  REQUIRE_THAT(ExportSqlite(recordings, path), IsOk());
  REQUIRE_THAT(ExportSqlite(recordings, path), IsOk());  // replaces it
  const auto read = ReadSqlite(path);
  REQUIRE_THAT(read, IsOk());
  REQUIRE(read->size() == 1);
  CHECK(read->at(0).process_id == "2");
  CHECK(read->at(0).samples[1].time_s == 0.5);
  CHECK(read->at(0).samples[1].Find("sm_occupancy") == 0.5);
  CHECK(FormatCsv({.series = *read, .warnings = {}}) == FormatCsv(recordings));
  // the tables of metadata too
  CHECK(read->at(0).hostname == "n1");
  CHECK(read->at(0).label == "a'b");
  CHECK(read->at(0).command == "run");
  CHECK(recordings.series[0].started == absl::FromUnixMillis(1769853600500));
  CHECK(read->at(0).started == absl::FromUnixSeconds(1769853600));
  const std::string copy = directory.File("copy.sqlite3");
  REQUIRE_THAT(ExportSqlite({.series = *read, .warnings = {}}, copy), IsOk());
  CHECK(ReadSqlite(copy)->at(0).started == read->at(0).started);
}

TEST_CASE("gssr-analyze: reads a database that has only samples", "[gssr]") {
  const TempDir directory;
  const std::string path = directory.File("x.sqlite3");
  REQUIRE_THAT(
      ExportSqlite({.series = *ParseJson(kJson), .warnings = {}}, path),
      IsOk());
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database,
                     "DROP TABLE process_metadata; DROP TABLE job_metadata",
                     nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  const auto read = ReadSqlite(path);
  REQUIRE_THAT(read, IsOk());
  CHECK(read->at(0).samples.size() == 2);
  CHECK(read->at(0).hostname.empty());
  CHECK_FALSE(read->at(0).started);
}

TEST_CASE("gssr-analyze: rates each step by its own times", "[gssr]") {
  auto first = *ParseCsv("timestamp,gpuId,gpu_util\n1,0,0\n2,0,0\n3,0,90\n");
  auto second = *ParseCsv("timestamp,gpuId,gpu_util\n1,0,90\n3,0,0\n");
  first[0].job_id = second[0].job_id = "7";
  first[0].step_id = "0";
  second[0].step_id = "1";
  auto jobs = Summarize({.series = {first[0], second[0]}, .warnings = {}});
  REQUIRE(jobs.size() == 1);
  REQUIRE(jobs[0].evaluations.size() == 2);
  CHECK(jobs[0].evaluations["7.0"].gpu_start->value == 0);
  CHECK(jobs[0].evaluations["7.1"].gpu_start->value == 100);
  const std::string report = FormatReport(jobs);
  CHECK(absl::StrContains(report, "Evaluation of step 7.0 (experimental)"));
  CHECK(absl::StrContains(report, "Evaluation of step 7.1 (experimental)"));
}

TEST_CASE("gssr-analyze: takes job and rank from folders", "[gssr]") {
  const TempDir directory;
  std::filesystem::create_directories(directory.File("alps_31/step_4"));
  const std::string text = "timestamp,gpuId,SM_ACTIVE_avg\n1,0,0.5\n";
  REQUIRE_THAT(
      WriteFile(directory.File("alps_31/step_4/proc_6.csv"), text, 0600),
      IsOk());
  REQUIRE_THAT(WriteFile(directory.File("alps_31/step_4/proc_6.source.json"),
                         R"({"driver": "test double 1.0", "gpus": [{"gpuId": 0,
                "power_limit_w": 350}]})",
                         0600),
               IsOk());
  REQUIRE_THAT(WriteFile(directory.File("alps_31/bad.json"), "{", 0600),
               IsOk());
  const auto read = ReadRecordings({directory.path()});
  REQUIRE_THAT(read, IsOk());
  CHECK(read->series[0].job_id == "31");
  CHECK(read->series[0].step_id == "4");
  CHECK(read->series[0].process_id == "6");
  CHECK(read->series[0].power_limit_w == 350);
  CHECK(absl::StrContains(FormatReport(Summarize(*read)),
                          "driver: test double 1.0"));
  REQUIRE(read->warnings.size() == 1);
  CHECK(absl::StrContains(read->warnings[0], "bad.json"));
}

}  // namespace
}  // namespace carme::gssr
