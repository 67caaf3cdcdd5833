#include "backend/metrics/pages/clustercockpit.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "tests/backend/metrics/exported_job.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::metrics {
namespace {

std::vector<ExportedFile> Exported(const archive::v1::JobArchive& archive,
                                   const ExportNames& names = {}) {
  auto files = ExportClusterCockpit(archive, names);
  REQUIRE_THAT(files, IsOk());
  REQUIRE(files->size() == 2);
  CHECK((*files)[0].name == "meta.json");
  CHECK((*files)[1].name == "data.json");
  return *std::move(files);
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What python3-jsonschema says of files. Empty: the host has no such package.
std::vector<std::string> DifferencesFromSchemas(
    const std::vector<ExportedFile>& files) {
  const TempDir directory;
  for (const ExportedFile& file : files) {
    REQUIRE_THAT(WriteFile(directory.File(file.name), file.content, 0600),
                 IsOk());
  }
  const std::string out = directory.File("differences");
  const int state =
      system(absl::StrCat("/usr/bin/python3 -W ignore " CARME_COCKPIT_SCHEMAS
                          "/check_schema.py ",
                          directory.path(), " > ", out)
                 .c_str());
  if (WEXITSTATUS(state) == 77) {
    WARN("python3-jsonschema is not installed: the schemas are not checked");
    return {};
  }
  REQUIRE(state == 0);
  const auto text = ReadFile(out);
  REQUIRE_THAT(text, IsOk());
  return absl::StrSplit(*text, '\n', absl::SkipEmpty());
}

// A job with all of what ClusterCockpit has a name for.
archive::v1::JobArchive FullJob() {
  archive::v1::JobArchive archive = ExportedJob();
  const auto add = [&](const char* name, const char* device,
                       const std::vector<double>& values) {
    AddExported(name, "n1", {{"device", device}}, values, &archive);
  };
  AddExported("carme_job_cpu_user_seconds_total", "n1", {}, {8, 48, 48},
              &archive);
  add("carme_node_network_received_bytes_total", "eth0", {0, 1000, 3000});
  add("carme_node_network_received_bytes_total", "eth1", {0, 500, 500});
  add("carme_node_network_received_bytes_total", "bond0", {0, 1500, 3500});
  add("carme_node_network_sent_bytes_total", "eth0", {0, 100, 200});
  add("carme_node_rdma_received_bytes_total", "mlx5_0", {0, 10, 30});
  add("carme_node_rdma_sent_bytes_total", "mlx5_0", {0, 40, 60});
  AddExported("carme_gpu_memory_used_bytes", "n1", {{"gpu", "0"}},
              {2e9, 3e9, 4e9}, &archive);
  AddExported("carme_gpu_temperature_celsius", "n1", {{"gpu", "0"}},
              {40, 41, 42}, &archive);
  return archive;
}

TEST_CASE("clustercockpit: a job that has not ended is refused", "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  archive.mutable_job()->set_ended_at_ms(0);
  CHECK_THAT(ExportClusterCockpit(archive),
             StatusIs(absl::StatusCode::kFailedPrecondition, "after its end"));
  archive = ExportedJob();
  archive.mutable_job()->clear_nodes();
  CHECK_THAT(ExportClusterCockpit(archive),
             StatusIs(absl::StatusCode::kFailedPrecondition, "no nodes"));
}

TEST_CASE("clustercockpit: meta.json has what the importer knows",
          "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  archive.mutable_series()->DeleteSubrange(2, 1);
  const auto files =
      Exported(archive, {.cluster = "alps", .subcluster = "gh200"});
  CHECK(files[0].content ==
        "{\"jobId\":42,\"user\":\"ada\",\"project\":\"climate\",\"cluster\":"
        "\"alps\",\"subCluster\":\"gh200\",\"partition\":\"gpu\","
        "\"numNodes\":1,\"numHwthreads\":8,\"numAcc\":1,"
        "\"shared\":\"multi_user\",\"monitoringStatus\":3,"
        "\"jobState\":\"completed\",\"startTime\":1700000000,\"duration\":30,"
        "\"resources\":[{\"hostname\":\"n1\",\"accelerators\":[\"0\"]}],"
        "\"metaData\":{\"jobName\":\"say \\\"hi\\\"\"},\"tags\":[],"
        "\"statistics\":{"
        "\"acc_power\":{\"unit\":{\"base\":\"W\"},\"avg\":175.0625,"
        "\"min\":100,\"max\":250.125},"
        "\"acc_utilization\":{\"unit\":{\"base\":\"\"},\"avg\":75,\"min\":50,"
        "\"max\":100},"
        "\"mem_used\":{\"unit\":{\"base\":\"B\",\"prefix\":\"G\"},"
        "\"avg\":5.1325e-07,\"min\":2.5e-09,\"max\":1.024e-06}}}\n");
}

TEST_CASE("clustercockpit: data.json has null for gaps", "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  archive.mutable_series()->DeleteSubrange(2, 2);
  archive.mutable_series()->DeleteSubrange(0, 1);
  CHECK(Exported(archive)[1].content ==
        "{\"acc_power\":{\"accelerator\":{\"unit\":{\"base\":\"W\"},"
        "\"timestep\":10,\"series\":[{\"hostname\":\"n1\",\"id\":\"0\","
        "\"statistics\":{\"avg\":175.0625,\"min\":100,\"max\":250.125},"
        "\"data\":[100,null,250.125]}]}}}\n");
}

TEST_CASE("clustercockpit: an end has the word of the schema", "[metrics]") {
  const std::pair<const char*, const char*> states[] = {
      {"completed", "completed"}, {"stopped", "cancelled"},
      {"time_limit", "timeout"},  {"failed", "failed"},
      {"node_fail", "node_fail"}, {"out_of_memory", "out_of_memory"},
      {"preempted", "preempted"}, {"unknown", "failed"},
  };
  for (const auto& [result, state] : states) {
    archive::v1::JobArchive archive = ExportedJob();
    archive.mutable_job()->set_result(result);
    const std::string meta = Exported(archive)[0].content;
    CAPTURE(result, meta);
    CHECK(Has(meta, absl::StrCat("\"jobState\":\"", state, "\"")));
    CHECK(Has(meta, "does not know how the job ended") ==
          (std::string(result) == "unknown"));
  }
}

TEST_CASE("clustercockpit: what the schema wants above zero is never zero",
          "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  v1::MeasuredJob* job = archive.mutable_job();
  job->set_gpus_per_node(0);
  job->set_cpus_per_node(0);
  job->set_ended_at_ms(job->started_at_ms() + 200);
  const std::string meta = Exported(archive)[0].content;
  CHECK_FALSE(Has(meta, "numAcc"));
  CHECK_FALSE(Has(meta, "numHwthreads"));
  CHECK_FALSE(Has(meta, "walltime"));
  CHECK(Has(meta, "\"duration\":1,"));
}

TEST_CASE("clustercockpit: counters are rates under ClusterCockpit's names",
          "[metrics]") {
  const std::string data = Exported(FullJob())[1].content;
  CAPTURE(data);
  const auto has_values = [&](const char* name, const char* values) {
    const size_t at = data.find(absl::StrCat("\"", name, "\":{"));
    REQUIRE(at != std::string::npos);
    const size_t begin = data.find("\"data\":", at);
    CHECK(data.substr(begin + 7, data.find(']', begin) - begin - 6) == values);
  };
  has_values("cpu_user", "[null,50,0]");  // 4 of 8 CPUs
  has_values("eth_read_bw", "[null,150,200]");
  has_values("eth_write_bw", "[null,10,10]");
  has_values("ib_recv", "[null,1,2]");
  has_values("ib_xmit", "[null,4,2]");
  has_values("net_bw", "[null,5,4]");
  has_values("acc_mem_used", "[2,3,4]");
}

TEST_CASE("clustercockpit: a counter that was reset has no rate", "[metrics]") {
  archive::v1::JobArchive archive = ExportedJob();
  archive.clear_series();
  AddExported("carme_job_io_read_bytes_total", "n1", {{"device", "8:0"}},
              {100, 50, 150, kGap, 350}, &archive);
  CHECK(Exported(archive)[1].content ==
        "{\"carme_job_io_read_bytes\":{\"node\":{\"unit\":{\"base\":\"B/s\"},"
        "\"timestep\":10,\"series\":[{\"hostname\":\"n1\",\"id\":"
        "\"device=8:0\",\"statistics\":{\"avg\":10,\"min\":10,\"max\":10},"
        "\"data\":[null,null,10,null,10]}]}}}\n");
}

// Carme has no such values: an importer that validates refuses the files.
TEST_CASE("clustercockpit: only what is not measured differs from the schemas",
          "[metrics]") {
  const auto differences = DifferencesFromSchemas(Exported(FullJob()));
  if (differences.empty()) return;
  CHECK(differences ==
        std::vector<std::string>{
            "meta statistics: 'cpu_load' is a required property",
            "meta statistics: 'flops_any' is a required property",
            "meta statistics: 'mem_bw' is a required property",
            "data : 'cpu_load' is a required property",
            "data : 'filesystems' is a required property",
            "data : 'flops_any' is a required property",
            "data : 'mem_bw' is a required property"});
}

}  // namespace
}  // namespace carme::metrics
