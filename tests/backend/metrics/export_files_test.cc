#include "backend/metrics/pages/export_files.h"

#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/metrics/pages/gssr_database.h"
#include "common/file.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void AddSeriesOf(const std::string& name, const std::string& node,
                 const std::string& gpu, const std::vector<double>& values,
                 archive::v1::JobArchive* archive) {
  archive::v1::ArchivedSeries* series = archive->add_series();
  series->set_name(name);
  series->set_node(node);
  if (!gpu.empty()) (*series->mutable_labels())["gpu"] = gpu;
  archive::v1::Resolution* points = series->add_resolutions();
  points->set_step_s(10);
  points->set_first_ms(1'700'000'000'500);
  *points->mutable_values() = {values.begin(), values.end()};
}

archive::v1::JobArchive Golden() {
  archive::v1::JobArchive archive;
  v1::MeasuredJob* job = archive.mutable_job();
  job->set_job_id(kJob);
  job->set_slurm_job_id(42);
  job->set_name("say \"hi\"");
  job->set_owner("ada");
  job->set_project("climate");
  job->set_partition("gpu");
  job->add_nodes("n1");
  job->set_gpus_per_node(1);
  job->set_cpus_per_node(8);
  job->set_started_at_ms(1'700'000'000'500);
  job->set_ended_at_ms(1'700'000'030'500);
  job->set_result("completed");
  AddSeriesOf("carme_job_memory_bytes", "n1", "", {1024, kNaN, 2.5}, &archive);
  AddSeriesOf("carme_gpu_power_watts", "n1", "0", {100, kNaN, 250.125},
              &archive);
  AddSeriesOf("carme_gpu_energy_joules_total", "n1", "0", {1, kNaN, 3},
              &archive);
  AddSeriesOf("carme_gpu_utilization_ratio", "n1", "0", {0.5, kNaN, 1},
              &archive);
  return archive;
}

TEST_CASE("export: CSV has a row for each sample and none for gaps",
          "[metrics]") {
  const std::vector<ExportedFile> files = ExportCsv(Golden());
  REQUIRE(files.size() == 1);
  CHECK(files[0].name == std::string(kJob) + ".csv");
  CHECK(files[0].content ==
        "time_s,node,name,labels,value\n"
        "1700000000.5,n1,carme_job_memory_bytes,,1024\n"
        "1700000020.5,n1,carme_job_memory_bytes,,2.5\n"
        "1700000000.5,n1,carme_gpu_power_watts,gpu=0,100\n"
        "1700000020.5,n1,carme_gpu_power_watts,gpu=0,250.125\n"
        "1700000000.5,n1,carme_gpu_energy_joules_total,gpu=0,1\n"
        "1700000020.5,n1,carme_gpu_energy_joules_total,gpu=0,3\n"
        "1700000000.5,n1,carme_gpu_utilization_ratio,gpu=0,0.5\n"
        "1700000020.5,n1,carme_gpu_utilization_ratio,gpu=0,1\n");
}

TEST_CASE("export: CSV quotes labels of hostile programs", "[metrics]") {
  archive::v1::JobArchive archive;
  AddSeriesOf("a", "n1", "0,\"=1+1", {1}, &archive);
  CHECK(ExportCsv(archive)[0].content ==
        "time_s,node,name,labels,value\n"
        "1700000000.5,n1,a,\"gpu=0,\"\"=1+1\",1\n");
}

TEST_CASE("export: gssr has the columns of gssr-record 2.1", "[metrics]") {
  const std::vector<ExportedFile> files = ExportGssr(Golden());
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "gssr_report/carme_42/step_0/proc_0.csv");
  CHECK(files[0].content ==
        "timestamp,gpuId,DEV_GPU_UTIL_min,DEV_GPU_UTIL_avg,DEV_GPU_UTIL_max,"
        "DEV_TOTAL_ENERGY_CONSUMPTION_min,DEV_TOTAL_ENERGY_CONSUMPTION_avg,"
        "DEV_TOTAL_ENERGY_CONSUMPTION_max,DEV_POWER_USAGE_min,"
        "DEV_POWER_USAGE_avg,DEV_POWER_USAGE_max\n"
        "0,0,50,50,50,1000,,1000,100.00,100.00,100.00\n"
        "20,0,100,100,100,3000,,3000,250.12,250.12,250.12\n");
  CHECK(files[1].name == "gssr_report/carme_42/step_0/proc_0.meta.txt");
  CHECK(files[1].content ==
        "{\"gssr-record-version\":\"carme\",\"date\":"
        "\"2023-11-14T22:13:20+0000\",\"cluster\":\"carme\",\"jobid\":\"42\","
        "\"jobname\":\"say \\\"hi\\\"\",\"nnodes\":1,\"ntasks\":1,\"ngpus\":1,"
        "\"step_nnodes\":1,\"step_ntasks\":1,\"executable\":\"\","
        "\"arguments\":[]}\n");
}

// The rows of a query over the bytes of a database, columns separated by "|".
std::vector<std::string> RowsOf(const std::string& bytes,
                                const std::string& query) {
  const TempDir directory;
  const std::string path = directory.File("gssr.sqlite3");
  REQUIRE_THAT(WriteFile(path, bytes, 0600), IsOk());
  sqlite3* opened = nullptr;
  REQUIRE(sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY,
                          nullptr) == SQLITE_OK);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(
      opened, sqlite3_close);
  sqlite3_stmt* prepared = nullptr;
  INFO(query);
  REQUIRE(sqlite3_prepare_v2(opened, query.c_str(), -1, &prepared, nullptr) ==
          SQLITE_OK);
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(
      prepared, sqlite3_finalize);
  std::vector<std::string> rows;
  while (sqlite3_step(prepared) == SQLITE_ROW) {
    std::vector<std::string> columns;
    for (int i = 0; i < sqlite3_column_count(prepared); ++i) {
      const auto* const text = sqlite3_column_text(prepared, i);
      columns.emplace_back(
          text == nullptr ? "NULL" : reinterpret_cast<const char*>(text));
    }
    rows.push_back(absl::StrJoin(columns, "|"));
  }
  return rows;
}

constexpr int64_t kMaxBytes = int64_t{1} << 20;

TEST_CASE("export: refuses a database without samples of GPUs", "[metrics]") {
  archive::v1::JobArchive archive = Golden();
  archive.mutable_series()->DeleteSubrange(1, 3);
  CHECK_THAT(ExportGssrDatabase(archive, kMaxBytes),
             StatusIs(absl::StatusCode::kNotFound, "No samples of GPUs"));
}

TEST_CASE("export: refuses a database that is too large", "[metrics]") {
  CHECK_THAT(ExportGssrDatabase(Golden(), 1024),
             StatusIs(absl::StatusCode::kResourceExhausted, "0 MiB"));
}

TEST_CASE("export: the database has the tables of gssr 0.3", "[metrics]") {
  archive::v1::JobArchive archive = Golden();
  archive.mutable_job()->add_nodes("n2");
  AddSeriesOf("carme_gpu_power_watts", "n2", "1", {kNaN, 40, 50}, &archive);
  AddSeriesOf("carme_gpu_sm_active_ratio", "n2", "1", {kNaN, 0.25, kNaN},
              &archive);
  const auto file = ExportGssrDatabase(archive, kMaxBytes);
  REQUIRE_THAT(file, IsOk());
  CHECK(file->name == "carme_42.sqlite3");
  const auto rows = [&](const std::string& query) {
    return RowsOf(file->content, query);
  };
  CHECK(rows("PRAGMA integrity_check") == std::vector<std::string>{"ok"});
  // A gap of a GPU has no row; what was not sampled is NULL.
  CHECK(rows("SELECT energy, gpu_utilization, power_usage, sm_active, job_id, "
             "step_id, proc_id, gpu_id, sample_index, time FROM data") ==
        std::vector<std::string>{"NULL|50.0|100.0|NULL|42|0|0|0|0|0.0",
                                 "NULL|100.0|250.125|NULL|42|0|0|0|1|20.0",
                                 "NULL|NULL|40.0|0.25|42|0|1|1|0|10.0",
                                 "NULL|NULL|50.0|NULL|42|0|1|1|1|20.0"});
  CHECK(rows("SELECT * FROM process_metadata") ==
        std::vector<std::string>{
            "42|0|0|n1|1|0|2023-11-14 22:13:20|2023-11-14 22:13:40|20.0",
            "42|0|1|n2|1|1|2023-11-14 22:13:20|2023-11-14 22:13:40|20.0"});
  CHECK(
      rows("SELECT * FROM job_metadata") ==
      std::vector<std::string>{
          "42|0|say \"hi\"|2|n1,n2|2|2|2023-11-14 22:13:20|2023-11-14 "
          "22:13:40|20.0|10000.0|energy,gpu_utilization,power_usage,sm_active|"
          ""});
}

TEST_CASE("export: the database has the energy since the row before",
          "[metrics]") {
  archive::v1::JobArchive archive = Golden();
  archive.mutable_series(2)->mutable_resolutions(0)->set_values(1, 2.5);
  const auto file = ExportGssrDatabase(archive, kMaxBytes);
  REQUIRE_THAT(file, IsOk());
  CHECK(RowsOf(file->content, "SELECT energy FROM data") ==
        std::vector<std::string>{"NULL", "1500.0", "500.0"});
}

TEST_CASE("export: hostile labels stay values of the database", "[metrics]") {
  archive::v1::JobArchive archive = Golden();
  archive.mutable_job()->set_name("'); DROP TABLE data; --");
  AddSeriesOf("carme_gpu_power_watts", "n1", "'\"x", {1}, &archive);
  const auto file = ExportGssrDatabase(archive, kMaxBytes);
  REQUIRE_THAT(file, IsOk());
  CHECK(RowsOf(file->content, "SELECT gpu_ids FROM process_metadata") ==
        std::vector<std::string>{"'\"x,0"});
  CHECK(RowsOf(file->content, "SELECT label FROM job_metadata") ==
        std::vector<std::string>{"'); DROP TABLE data; --"});
}

TEST_CASE("export: the job archive of ClusterCockpit has null for gaps",
          "[metrics]") {
  archive::v1::JobArchive archive = Golden();
  archive.mutable_series()->DeleteSubrange(2, 2);
  const std::vector<ExportedFile> files = ExportClusterCockpit(archive);
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "meta.json");
  CHECK(files[0].content ==
        "{\"jobId\":42,\"user\":\"ada\",\"project\":\"climate\",\"cluster\":"
        "\"\",\"subCluster\":\"\",\"partition\":\"gpu\",\"arrayJobId\":0,"
        "\"numNodes\":1,\"numHwthreads\":8,\"numAcc\":1,\"exclusive\":0,"
        "\"monitoringStatus\":1,\"smt\":0,\"jobState\":\"completed\","
        "\"startTime\":1700000000,\"duration\":30,\"resources\":"
        "[{\"hostname\":\"n1\"}],\"metaData\":{\"jobName\":"
        "\"say \\\"hi\\\"\"},\"tags\":[],\"statistics\":{"
        "\"carme_gpu_power_watts\":{\"unit\":{\"base\":\"W\"},\"avg\":175.0625,"
        "\"min\":100,\"max\":250.125},\"carme_job_memory_bytes\":{\"unit\":"
        "{\"base\":\"B\"},\"avg\":513.25,\"min\":2.5,\"max\":1024}}}\n");
  CHECK(files[1].name == "data.json");
  CHECK(files[1].content ==
        "{\"carme_gpu_power_watts\":{\"accelerator\":{\"unit\":{\"base\":"
        "\"W\"},\"timestep\":10,\"series\":[{\"hostname\":\"n1\",\"id\":\"0\","
        "\"statistics\":{\"avg\":175.0625,\"min\":100,\"max\":250.125},"
        "\"data\":[100,null,250.125]}]}},\"carme_job_memory_bytes\":{\"node\":"
        "{\"unit\":{\"base\":\"B\"},\"timestep\":10,\"series\":[{\"hostname\":"
        "\"n1\",\"statistics\":{\"avg\":513.25,\"min\":2.5,\"max\":1024},"
        "\"data\":[1024,null,2.5]}]}}}\n");
}

}  // namespace
}  // namespace carme::metrics
