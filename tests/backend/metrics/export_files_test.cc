#include "backend/metrics/pages/export_files.h"

#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/metrics/pages/gssr_database.h"
#include "common/file.h"
#include "common/metric_rules/rule_evaluation.h"
#include "common/metric_rules/rule_set.h"
#include "common/metric_rules/samples_csv.h"
#include "tests/backend/metrics/exported_job.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::metrics {
namespace {

TEST_CASE("export: CSV has a row for each sample and none for gaps",
          "[metrics]") {
  const std::vector<ExportedFile> files = ExportCsv(ExportedJob());
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

TEST_CASE("export: CSV has the events of the job for the rules", "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  v1::NodeEvent* event = archive.add_events();
  event->set_time_ms(1'700'000'010'501);
  event->set_kind("xid");
  event->set_text("not in the file");
  (*event->mutable_labels())["node"] = "n1";
  (*event->mutable_labels())["gpu"] = "0";
  (*event->mutable_labels())["code"] = "79";
  event = archive.add_events();
  event->set_time_ms(1'700'000'010'000);
  event->set_kind("not_finite");
  (*event->mutable_labels())["node"] = "n1";
  const std::string text = ExportCsv(archive)[0].content;
  CHECK(
      text.ends_with("1700000010.501,n1,event:xid,code=79;gpu=0,1\n"
                     "1700000010,n1,event:not_finite,,1\n"));

  const auto read = metric_rules::ParseSamplesCsv(text, "job.csv");
  REQUIRE_THAT(read, IsOk());
  REQUIRE(read->events.size() == 2);
  CHECK(read->events[0].time_ms == 1'700'000'010'501);
  CHECK(read->events[0].kind == "xid");
  CHECK(read->events[0].labels ==
        std::map<std::string, std::string>{
            {"node", "n1"}, {"gpu", "0"}, {"code", "79"}});
  const auto rules_text = ReadFile(CARME_METRIC_RULES);
  REQUIRE_THAT(rules_text, IsOk());
  const auto rules = metric_rules::ParseRules(*rules_text, "rules.yaml");
  REQUIRE_THAT(rules, IsOk());
  std::set<std::string> found;
  for (const auto& finding : metric_rules::EvaluateRules(*rules, *read)) {
    found.insert(finding.rule->name);
  }
  CHECK(found.contains("xid"));
  CHECK(found.contains("not-a-number"));
}

TEST_CASE("export: CSV quotes labels of hostile programs", "[metrics]") {
  archive::v1::JobArchive archive;
  AddExported("a", "n1", {{"gpu", "0,\"=1+1"}}, {1}, &archive);
  CHECK(ExportCsv(archive)[0].content ==
        "time_s,node,name,labels,value\n"
        "1700000000.5,n1,a,\"gpu=0,\"\"=1+1\",1\n");
}

// The cells of a table of gssr by column, a map for each row.
std::vector<std::map<std::string, std::string>> TableOf(
    const std::string& content) {
  const std::vector<std::string> lines =
      absl::StrSplit(content, '\n', absl::SkipEmpty());
  REQUIRE_FALSE(lines.empty());
  const std::vector<std::string> names = absl::StrSplit(lines[0], ',');
  std::vector<std::map<std::string, std::string>> rows;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = absl::StrSplit(lines[i], ',');
    REQUIRE(cells.size() == names.size());
    for (size_t j = 0; j < cells.size(); ++j) {
      if (j == 0) rows.emplace_back();
      rows.back()[names[j]] = cells[j];
    }
  }
  return rows;
}

TEST_CASE("export: gssr has the columns that gssr-analyze reads, in order",
          "[metrics]") {
  const std::vector<ExportedFile> files =
      ExportGssr(ExportedJob(), {.cluster = "alps"});
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "gssr_report/alps_42/step_0/proc_0.csv");
  std::string header = "timestamp,gpuId";
  for (const char* const field : {"DEV_GPU_UTIL",
                                  "DEV_FB_FREE",
                                  "DEV_FB_USED",
                                  "DEV_FB_RESERVED",
                                  "PROF_SM_ACTIVE",
                                  "PROF_SM_OCCUPANCY",
                                  "PROF_PIPE_TENSOR_ACTIVE",
                                  "PROF_PIPE_TENSOR_IMMA_ACTIVE",
                                  "PROF_PIPE_TENSOR_HMMA_ACTIVE",
                                  "PROF_PIPE_TENSOR_DFMA_ACTIVE",
                                  "PROF_PIPE_INT_ACTIVE",
                                  "PROF_PIPE_FP64_ACTIVE",
                                  "PROF_PIPE_FP32_ACTIVE",
                                  "PROF_PIPE_FP16_ACTIVE",
                                  "PROF_DRAM_ACTIVE",
                                  "PROF_PCIE_TX_BYTES",
                                  "PROF_PCIE_RX_BYTES",
                                  "PROF_NVLINK_RX_BYTES",
                                  "PROF_NVLINK_TX_BYTES",
                                  "PROF_C2C_TX_ALL_BYTES",
                                  "PROF_C2C_RX_ALL_BYTES",
                                  "DEV_TOTAL_ENERGY_CONSUMPTION",
                                  "DEV_POWER_USAGE"}) {
    const std::string name = absl::StrCat(",DCGM_FI_", field);
    absl::StrAppend(&header, name, "_min", name, "_avg", name, "_max");
  }
  CHECK(files[0].content ==
        absl::StrCat(header, "\n0,0,50,50,50", std::string(20 * 3, ','),
                     ",1000,,1000,100.00,100.00,100.00\n20,0,100,100,100",
                     std::string(20 * 3, ','),
                     ",3000,2000,3000,250.12,250.12,250.12\n"));
}

TEST_CASE("export: the meta data of gssr are strings", "[metrics]") {
  const std::vector<ExportedFile> files = ExportGssr(ExportedJob());
  REQUIRE(files.size() == 2);
  CHECK(files[1].name == "gssr_report/carme_42/step_0/proc_0.meta.txt");
  CHECK(files[1].content ==
        "{\n"
        "    \"gssr-record-version\": \"2.1\",\n"
        "    \"date\": \"2023-11-14T22:13:20+0000\",\n"
        "    \"cluster\": \"carme\",\n"
        "    \"jobid\": \"42\",\n"
        "    \"jobname\": \"say \\\"hi\\\"\",\n"
        "    \"nnodes\": \"1\",\n"
        "    \"ntasks\": \"1\",\n"
        "    \"ngpus\": \"1\",\n"
        "    \"step_nnodes\": \"1\",\n"
        "    \"step_ntasks\": \"1\",\n"
        "    \"executable\": \"\",\n"
        "    \"arguments\": \"\"\n"
        "}\n");
}

TEST_CASE("export: gssr has no energy where the counter was reset",
          "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  archive::v1::Resolution* const energy =
      archive.mutable_series(2)->mutable_resolutions(0);
  energy->set_values(0, 5);
  energy->set_values(1, 2);
  energy->set_values(2, 2.5);
  const auto rows = TableOf(ExportGssr(archive)[0].content);
  REQUIRE(rows.size() == 3);
  const char* const column = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_avg";
  CHECK(rows[0].at(column).empty());
  CHECK(rows[1].at(column).empty());
  CHECK(rows[1].at("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_max") == "2000");
  CHECK(rows[2].at(column) == "500");
}

TEST_CASE("export: gssr has pipes and links that newer GPUs report",
          "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  const auto add = [&](const std::string& name, double value) {
    AddExported(name, "n1", {{"gpu", "0"}}, {value}, &archive);
  };
  add("carme_gpu_imma_active_ratio", 0.125);
  add("carme_gpu_hmma_active_ratio", 0.25);
  add("carme_gpu_dfma_active_ratio", 0.375);
  add("carme_gpu_int_active_ratio", 0.5);
  add("carme_gpu_c2c_sent_bytes_per_second", 3e9);
  add("carme_gpu_c2c_received_bytes_per_second", 4e9);
  const auto rows = TableOf(ExportGssr(archive)[0].content);
  CHECK(rows[0].at("DCGM_FI_PROF_PIPE_TENSOR_IMMA_ACTIVE_avg") == "0.12");
  CHECK(rows[0].at("DCGM_FI_PROF_PIPE_TENSOR_HMMA_ACTIVE_avg") == "0.25");
  CHECK(rows[0].at("DCGM_FI_PROF_PIPE_TENSOR_DFMA_ACTIVE_avg") == "0.38");
  CHECK(rows[0].at("DCGM_FI_PROF_PIPE_INT_ACTIVE_avg") == "0.50");
  CHECK(rows[0].at("DCGM_FI_PROF_C2C_TX_ALL_BYTES_avg") == "3000000000");
  CHECK(rows[0].at("DCGM_FI_PROF_C2C_RX_ALL_BYTES_avg") == "4000000000");
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
  archive::v1::JobArchive archive = ExportedJob();
  archive.mutable_series()->DeleteSubrange(1, 3);
  CHECK_THAT(ExportGssrDatabase(archive, kMaxBytes),
             StatusIs(absl::StatusCode::kNotFound, "No samples of GPUs"));
}

TEST_CASE("export: refuses a database that is too large", "[metrics]") {
  CHECK_THAT(ExportGssrDatabase(ExportedJob(), 1024),
             StatusIs(absl::StatusCode::kResourceExhausted, "0 MiB"));
}

TEST_CASE("export: the database has the tables of gssr 0.3", "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  archive.mutable_job()->add_nodes("n2");
  AddExported("carme_gpu_power_watts", "n2", {{"gpu", "1"}}, {kGap, 40, 50},
              &archive);
  AddExported("carme_gpu_sm_active_ratio", "n2", {{"gpu", "1"}},
              {kGap, 0.25, kGap}, &archive);
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
                                 "2000.0|100.0|250.125|NULL|42|0|0|0|1|20.0",
                                 "NULL|NULL|40.0|0.25|42|0|1|1|0|10.0",
                                 "NULL|NULL|50.0|NULL|42|0|1|1|1|20.0"});
  CHECK(rows("SELECT * FROM process_metadata") ==
        std::vector<std::string>{
            "42|0|0|n1|1|0|2023-11-14 22:13:20|2023-11-14 22:13:40|20.0",
            "42|0|1|n2|1|1|2023-11-14 22:13:20|2023-11-14 22:13:40|20.0"});
  CHECK(rows("SELECT * FROM job_metadata") ==
        std::vector<std::string>{
            "42|0|say \"hi\"|2|n1,n2|2|2|2023-11-14 22:13:20|2023-11-14 "
            "22:13:40|20.0|10000|energy,gpu_utilization,power_usage,sm_active|"
            ""});
}

// gssr 0.3: GPUMetricsAnalyzer.summary().
TEST_CASE("export: the database answers the queries of gssr 0.3", "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  const auto file = ExportGssrDatabase(archive, kMaxBytes);
  REQUIRE_THAT(file, IsOk());
  CHECK(RowsOf(file->content,
               "SELECT energy,gpu_utilization,power_usage FROM data WHERE "
               "job_id=42 AND step_id=0") ==
        std::vector<std::string>{"NULL|50.0|100.0", "2000.0|100.0|250.125"});
  CHECK(RowsOf(file->content,
               "SELECT proc_id,gpu_id, AVG(gpu_utilization) AS "
               "gpu_utilization, AVG(sm_active) AS sm_active, "
               "AVG(tensor_active + fp16_active + fp32_active + fp64_active) "
               "AS total_flop_activity FROM data WHERE job_id=42 AND "
               "step_id=0 GROUP BY proc_id, gpu_id ORDER BY proc_id, gpu_id "
               "ASC") == std::vector<std::string>{"0|0|75.0|NULL|NULL"});
  CHECK(RowsOf(file->content,
               "SELECT typeof(job_id), typeof(step_id), typeof(proc_id), "
               "typeof(gpu_id), typeof(sample_index), typeof(time) FROM data "
               "LIMIT 1") ==
        std::vector<std::string>{"integer|integer|integer|text|integer|real"});
}

TEST_CASE("export: the database has no energy where the counter was reset",
          "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  archive.mutable_series(1)->mutable_resolutions(0)->set_values(1, 120);
  archive.mutable_series(2)->mutable_resolutions(0)->set_values(1, 0.5);
  const auto file = ExportGssrDatabase(archive, kMaxBytes);
  REQUIRE_THAT(file, IsOk());
  CHECK(RowsOf(file->content, "SELECT energy FROM data") ==
        std::vector<std::string>{"NULL", "NULL", "2500.0"});
}

TEST_CASE("export: the database has the energy since the row before",
          "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  archive.mutable_series(2)->mutable_resolutions(0)->set_values(1, 2.5);
  const auto file = ExportGssrDatabase(archive, kMaxBytes);
  REQUIRE_THAT(file, IsOk());
  CHECK(RowsOf(file->content, "SELECT energy FROM data") ==
        std::vector<std::string>{"NULL", "1500.0", "500.0"});
}

TEST_CASE("export: hostile labels stay values of the database", "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  archive.mutable_job()->set_name("'); DROP TABLE data; --");
  AddExported("carme_gpu_power_watts", "n1", {{"gpu", "'\"x"}}, {1}, &archive);
  const auto file = ExportGssrDatabase(archive, kMaxBytes);
  REQUIRE_THAT(file, IsOk());
  CHECK(RowsOf(file->content, "SELECT gpu_ids FROM process_metadata") ==
        std::vector<std::string>{"'\"x,0"});
  CHECK(RowsOf(file->content, "SELECT label FROM job_metadata") ==
        std::vector<std::string>{"'); DROP TABLE data; --"});
}

}  // namespace
}  // namespace carme::metrics
