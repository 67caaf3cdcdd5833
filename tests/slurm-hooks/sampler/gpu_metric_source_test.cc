#include "slurm-hooks/sampler/gpu_metric_source.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "slurm-hooks/gpu/dcgm_source.h"
#include "slurm-hooks/gpu/nvml_source.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::sampler {
namespace {

using testing::WaitFor;

// A source whose driver is the test double of NVML, and with `dcgm` that of
// DCGM with these rows.
class GpuJob {
 public:
  explicit GpuJob(const std::string& series, const std::string& gpus = "0",
                  absl::Duration open_timeout = absl::Minutes(1),
                  const std::optional<std::string>& dcgm = std::nullopt) {
    const std::string path = directory_.File("series");
    REQUIRE_THAT(WriteFile(path, series, 0600), IsOk());
    setenv("FAKE_NVML_SERIES", path.c_str(), 1);
    GpuMetricSource::Options options;
    options.open = [] { return gpu::OpenNvml(CARME_FAKE_NVML); };
    options.environment =
        [gpus](std::string_view name) -> std::optional<std::string> {
      if (name == "SLURM_JOB_GPUS") return gpus;
      return std::nullopt;
    };
    options.open_timeout = open_timeout;
    options.sample_timeout = absl::Milliseconds(200);
    options.peak = peak_;
    if (dcgm) {
      REQUIRE_THAT(WriteFile(directory_.File("dcgm"), *dcgm, 0600), IsOk());
      setenv("FAKE_DCGM_SERIES", directory_.File("dcgm").c_str(), 1);
      setenv("FAKE_DCGM_LOG", directory_.File("log").c_str(), 1);
      options.second_name = "dcgm";
      options.open_second = [](const std::vector<std::string>& uuids) {
        return gpu::OpenDcgm({.host_engine = "127.0.0.1:5555",
                              .interval = absl::Milliseconds(100),
                              .libraries = {CARME_FAKE_DCGM}},
                             uuids);
      };
    }
    source_ = std::make_unique<GpuMetricSource>(std::move(options));
  }

  // Samples; true: the round had values.
  bool Sample() {
    const uint64_t before = buffer_.added_count();
    source_->Sample(++now_ms_, &buffer_);
    return buffer_.added_count() > before;
  }
  // Until the driver is open.
  void SampleFirst() {
    REQUIRE(WaitFor([this] { return Sample(); }));
  }
  void Skip(absl::Duration time) { now_ms_ += absl::ToInt64Milliseconds(time); }
  // Whether the double of DCGM had a request that begins so.
  bool AskedDcgm(std::string_view request) const {
    const std::string log = ReadFile(directory_.File("log")).value_or("");
    return absl::StrContains(absl::StrCat("\n", log),
                             absl::StrCat("\n", std::string(request)));
  }
  GpuUtilizationPeak& peak() { return *peak_; }
  void UseRanks(std::unordered_map<pid_t, StepRank> ranks) {
    auto known = std::make_shared<ProcessRanks>();
    known->Replace(std::move(ranks));
    source_->UseRanks(std::move(known));
  }
  carme::v1::NodeSamples Take() {
    return buffer_.Take(now_ms_, {}).value_or(carme::v1::NodeSamples());
  }

 private:
  TempDir directory_;
  SampleBuffer buffer_{"n1"};
  std::shared_ptr<GpuUtilizationPeak> peak_ =
      std::make_shared<GpuUtilizationPeak>();
  std::unique_ptr<GpuMetricSource> source_;
  int64_t now_ms_ = 1'800'000'000'000;
};

// "name,gpu" and the last value.
std::map<std::string, double> Values(const carme::v1::NodeSamples& samples) {
  std::map<std::string, double> values;
  for (const auto& series : samples.series()) {
    values[series.name() + "," + series.labels().at("gpu")] =
        series.values(series.values_size() - 1);
  }
  return values;
}

TEST_CASE("GPU metrics: a job without GPUs has no source", "[sampler]") {
  CHECK(GpuSources({"SLURM_JOB_ID=7"}, absl::Seconds(1), "").empty());
  CHECK(GpuSources({"SLURM_JOB_GPUS="}, absl::Seconds(1), "/dcgm").empty());
  CHECK(GpuSources({"SLURM_JOB_GPUS=0"}, absl::Seconds(1), "").size() == 1);
}

TEST_CASE("GPU metrics: GPUs of other jobs on the node are not sampled",
          "[sampler]") {
  GpuJob job(
      "0 0 devices 3\n0 0 gpu_util 10\n0 1 gpu_util 20\n0 2 gpu_util 30\n",
      "1-2");
  job.SampleFirst();
  CHECK(Values(job.Take()) ==
        std::map<std::string, double>{{"carme_gpu_utilization_ratio,1", 0.2},
                                      {"carme_gpu_utilization_ratio,2", 0.3}});
}

TEST_CASE("GPU metrics: an unknown process is of no rank", "[sampler]") {
  GpuJob job("0 0 gpu_util 10\n0 0 process 71\n");
  job.UseRanks({{72, {.step = "0", .rank = "0"}}});
  job.SampleFirst();
  CHECK(Values(job.Take()) ==
        std::map<std::string, double>{{"carme_gpu_utilization_ratio,0", 0.1}});
}

TEST_CASE("GPU metrics: names the ranks that use a GPU", "[sampler]") {
  GpuJob job(
      "0 0 devices 2\n0 0 process 71\n0 0 process 72\n0 0 process 73\n"
      "0 1 process 74\n",
      "0-1");
  job.UseRanks({{71, {.step = "3", .rank = "0"}},
                {72, {.step = "3", .rank = "0"}},
                {73, {.step = "3", .rank = "1"}},
                {74, {.step = "", .rank = "2"}}});
  job.SampleFirst();
  std::set<std::string> found;
  const carme::v1::NodeSamples taken = job.Take();
  for (const auto& series : taken.series()) {
    CHECK(series.name() == "carme_gpu_rank_info");
    CHECK(series.values(0) == 1);
    std::string text;
    for (const char* const label : {"gpu", "step", "rank"}) {
      const auto value = series.labels().find(label);
      absl::StrAppend(
          &text, value == series.labels().end() ? "-" : value->second, " ");
    }
    found.insert(text);
  }
  CHECK(found == std::set<std::string>{"0 3 0 ", "0 3 1 ", "1 - 2 "});
}

TEST_CASE("GPU metrics: the source names the test double", "[sampler]") {
  GpuJob job("0 0 gpu_util 10\n");
  job.SampleFirst();
  const auto samples = job.Take();
  REQUIRE(samples.sources_size() == 1);
  CHECK(samples.sources(0).name() == "nvml");
  CHECK(samples.sources(0).version() == "test double 1.0");
  CHECK(samples.sources(0).library() == CARME_FAKE_NVML);
  CHECK(samples.series(0).source() == samples.sources(0).id());
  CHECK(samples.series(0).labels().at("model") == "Test double GPU");
}

TEST_CASE("GPU metrics: values have the units of their names", "[sampler]") {
  GpuJob job(
      "0 0 gpu_util 73\n0 0 memory_total 1073741824\n"
      "0 0 memory_used 536870912\n0 0 power_mw 350500\n"
      "0 0 power_limit_mw 700000\n0 0 energy_mj 9000500\n0 0 temperature 61\n"
      "0 0 sm_clock 1410\n0 0 clock_reasons 32\n0 0 pcie_tx_kib 4\n"
      "0 0 ecc_uncorrected 2\n");
  job.SampleFirst();
  CHECK(Values(job.Take()) ==
        std::map<std::string, double>{
            {"carme_gpu_utilization_ratio,0", 0.73},
            {"carme_gpu_memory_used_bytes,0", 536870912},
            {"carme_gpu_memory_free_bytes,0", 536870912},
            {"carme_gpu_power_watts,0", 350.5},
            {"carme_gpu_power_limit_watts,0", 700},
            {"carme_gpu_energy_joules_total,0", 9000.5},
            {"carme_gpu_temperature_celsius,0", 61},
            {"carme_gpu_sm_clock_hertz,0", 1.41e9},
            {"carme_gpu_power_cap_ratio,0", 0},
            {"carme_gpu_thermal_slowdown_ratio,0", 1},
            {"carme_gpu_power_brake_ratio,0", 0},
            {"carme_gpu_pcie_sent_bytes_per_second,0", 4096},
            {"carme_gpu_ecc_uncorrected_errors_total,0", 2}});
}

TEST_CASE("GPU metrics: a score exists where all of its inputs do",
          "[sampler]") {
  constexpr char kPipes[] =
      "0 0 gpm 1\n0 0 gpm.2 50\n0 0 gpm.3 20\n0 0 gpm.5 4\n0 0 gpm.11 0\n"
      "0 0 gpm.12 3\n";
  // GPM has values of an interval of at least 100 ms.
  const auto sample = [](GpuJob* job) {
    job->SampleFirst();
    std::map<std::string, double> values;
    REQUIRE(WaitFor([&] {
      job->Sample();
      values = Values(job->Take());
      return values.contains("carme_gpu_sm_active_ratio,0");
    }));
    return values;
  };
  GpuJob without(std::string(kPipes) + "0 0 gpu_util 9\n");
  CHECK_FALSE(sample(&without).contains("carme_gpu_saturation_ratio,0"));
  GpuJob with(std::string(kPipes) + "0 0 gpm.13 3\n0 0 gpu_util 9\n");
  const auto values = sample(&with);
  // Of the published formula: A 0.5, F 0.1, O 0.2.
  CHECK(values.at("carme_gpu_saturation_ratio,0") ==
        Approx(0.216487).margin(1e-6));
}

// "name,gpu" and the name of the source.
std::map<std::string, std::string> Sources(
    const carme::v1::NodeSamples& samples) {
  std::map<std::string, std::string> sources;
  for (const auto& series : samples.series()) {
    for (const auto& source : samples.sources()) {
      if (source.id() != series.source()) continue;
      sources[series.name() + "," + series.labels().at("gpu")] = source.name();
    }
  }
  return sources;
}

// A GPU as an A100: NVML has no activity.
constexpr char kAmpere[] =
    "0 0 devices 2\n0 0 gpu_util 90\n0 1 gpu_util 80\n0 0 pcie_tx_kib 4\n";
constexpr char kAmpereActivity[] =
    "0 0 devices 2\n0 0 field.1002 0.5\n0 0 field.1003 0.2\n"
    "0 0 field.1004 0.04\n0 0 field.1005 0.3\n0 0 field.1006 0\n"
    "0 0 field.1007 0.03\n0 0 field.1008 0.03\n0 0 field.1009 5\n"
    "0 0 field.1012 6\n0 1 field.1005 0.7\n";

// Samples until the series has a value, and returns all of that round.
carme::v1::NodeSamples SampleUntil(GpuJob* job, const std::string& series) {
  carme::v1::NodeSamples samples;
  REQUIRE(WaitFor([&] {
    job->Sample();
    samples = job->Take();
    return Values(samples).contains(series);
  }));
  return samples;
}

TEST_CASE("GPU metrics: without a host engine of DCGM its values are absent",
          "[sampler]") {
  GpuJob job(kAmpere, "0", absl::Minutes(1), "0 0 call.connect -21\n");
  job.SampleFirst();
  REQUIRE(WaitFor([&] { return job.AskedDcgm("shutdown"); }));
  job.Sample();
  const auto samples = SampleUntil(&job, "carme_gpu_utilization_ratio,0");
  CHECK(samples.sources_size() == 1);
  CHECK(samples.events().empty());
  CHECK(Values(samples).size() == 2);
}

TEST_CASE("GPU metrics: a DCGM that does not open is dead, and blocks no round",
          "[sampler]") {
  GpuJob job(kAmpere, "0", absl::Seconds(5), "0 0 slow_ms.connect 800\n");
  job.SampleFirst();
  job.Sample();  // DCGM's time begins
  job.Take();
  job.Skip(absl::Seconds(5));
  const absl::Time before = absl::Now();
  CHECK(job.Sample());
  CHECK(absl::Now() - before < absl::Milliseconds(500));
  const auto samples = job.Take();
  REQUIRE(samples.events_size() == 1);
  CHECK(samples.events(0).kind() == "source_dead");
  CHECK(samples.events(0).labels().at("source") == "dcgm");
  CHECK(Values(samples).contains("carme_gpu_utilization_ratio,0"));
  // So that two threads never use the double.
  CHECK(WaitFor([&] { return job.AskedDcgm("shutdown"); }));
}

TEST_CASE("GPU metrics: a DCGM that hangs is dead, the driver goes on",
          "[sampler]") {
  GpuJob job(kAmpere, "0", absl::Minutes(1),
             std::string(kAmpereActivity) + "0.3 0 slow_ms.values 600\n");
  carme::v1::NodeSamples samples;
  REQUIRE(WaitFor([&] {
    job.Sample();
    samples = job.Take();
    return samples.events_size() > 0;
  }));
  CHECK(samples.events(0).kind() == "source_dead");
  for (int i = 0; i < 3; ++i) {
    const absl::Time before = absl::Now();
    CHECK(job.Sample());
    CHECK(absl::Now() - before < absl::Milliseconds(150));
    samples = job.Take();
    CHECK(samples.events().empty());
    CHECK(Values(samples).contains("carme_gpu_utilization_ratio,0"));
    CHECK_FALSE(Values(samples).contains("carme_gpu_sm_active_ratio,0"));
  }
  for (const auto& source : samples.sources()) {
    CHECK(source.dead() == (source.name() == "dcgm"));
  }
  CHECK(WaitFor([&] { return job.AskedDcgm("shutdown"); }));
}

TEST_CASE("GPU metrics: a lost connection to DCGM is reported once",
          "[sampler]") {
  GpuJob job(kAmpere, "0-1", absl::Minutes(1),
             std::string(kAmpereActivity) + "1 0 call.values -21\n");
  std::vector<std::string> events;
  REQUIRE(WaitFor([&] {
    job.Sample();
    const auto samples = job.Take();
    for (const auto& event : samples.events()) events.push_back(event.text());
    return !events.empty();
  }));
  CHECK(job.Sample());
  CHECK(job.Take().events().empty());
  CHECK(events ==
        std::vector<std::string>{"the source \"dcgm\" stopped answering"});
}

TEST_CASE("GPU metrics: DCGM is not asked about GPUs of other jobs",
          "[sampler]") {
  GpuJob job(kAmpere, "1", absl::Minutes(1), kAmpereActivity);
  const auto samples = SampleUntil(&job, "carme_gpu_dram_active_ratio,1");
  CHECK(Values(samples).at("carme_gpu_dram_active_ratio,1") == 0.7);
  CHECK(job.AskedDcgm("watch 1 1002"));
  CHECK_FALSE(job.AskedDcgm("watch 0 "));
  CHECK_FALSE(job.AskedDcgm("value 0 "));
}

TEST_CASE("GPU metrics: DCGM is not asked about GPUs with GPM", "[sampler]") {
  GpuJob job("0 0 gpm 1\n0 0 gpm.2 50\n0 0 gpu_util 9\n", "0", absl::Minutes(1),
             kAmpereActivity);
  const auto samples = SampleUntil(&job, "carme_gpu_sm_active_ratio,0");
  CHECK(Sources(samples).at("carme_gpu_sm_active_ratio,0") == "gpm");
  CHECK(samples.sources_size() == 1);
  CHECK_FALSE(job.AskedDcgm("live"));
}

TEST_CASE("GPU metrics: a GPU before Hopper has a score with DCGM",
          "[sampler]") {
  GpuJob job(kAmpere, "0", absl::Minutes(1), kAmpereActivity);
  const auto samples = SampleUntil(&job, "carme_gpu_saturation_ratio,0");
  auto values = Values(samples);
  // Of the published formula: A 0.5, F 0.1, O 0.2.
  CHECK(values.at("carme_gpu_saturation_ratio,0") ==
        Approx(0.216487).margin(1e-6));
  values.erase("carme_gpu_saturation_ratio,0");
  CHECK(values == std::map<std::string, double>{
                      {"carme_gpu_utilization_ratio,0", 0.9},
                      {"carme_gpu_sm_active_ratio,0", 0.5},
                      {"carme_gpu_sm_occupancy_ratio,0", 0.2},
                      {"carme_gpu_tensor_active_ratio,0", 0.04},
                      {"carme_gpu_dram_active_ratio,0", 0.3},
                      {"carme_gpu_fp64_active_ratio,0", 0},
                      {"carme_gpu_fp32_active_ratio,0", 0.03},
                      {"carme_gpu_fp16_active_ratio,0", 0.03},
                      // NVML's, not the 5 of DCGM: one series, one source.
                      {"carme_gpu_pcie_sent_bytes_per_second,0", 4096},
                      {"carme_gpu_nvlink_received_bytes_per_second,0", 6}});
  CHECK(samples.dropped() == 0);
}

TEST_CASE("GPU metrics: what NVML stops measuring is not taken from DCGM",
          "[sampler]") {
  GpuJob job(std::string(kAmpere) + "1 0 error 15\n", "0", absl::Minutes(1),
             kAmpereActivity);
  SampleUntil(&job, "carme_gpu_pcie_sent_bytes_per_second,0");
  std::map<std::string, double> values;
  REQUIRE(WaitFor([&] {
    job.Sample();
    values = Values(job.Take());
    return values.contains("carme_gpu_dram_active_ratio,0") &&
           !values.contains("carme_gpu_utilization_ratio,0");
  }));
  CHECK_FALSE(values.contains("carme_gpu_pcie_sent_bytes_per_second,0"));
}

TEST_CASE("GPU metrics: each series has the source that it is from",
          "[sampler]") {
  GpuJob job(kAmpere, "0", absl::Minutes(1), kAmpereActivity);
  const auto samples = SampleUntil(&job, "carme_gpu_saturation_ratio,0");
  const auto sources = Sources(samples);
  CHECK(sources.at("carme_gpu_utilization_ratio,0") == "nvml");
  CHECK(sources.at("carme_gpu_pcie_sent_bytes_per_second,0") == "nvml");
  CHECK(sources.at("carme_gpu_sm_active_ratio,0") == "dcgm");
  CHECK(sources.at("carme_gpu_saturation_ratio,0") == "dcgm");
  REQUIRE(samples.sources_size() == 2);
  CHECK(samples.sources(1).name() == "dcgm");
  CHECK(samples.sources(1).version() == "test double 4.0");
  CHECK(samples.sources(1).library() == CARME_FAKE_DCGM);
  for (const auto& series : samples.series()) {
    CHECK(series.labels().at("model") == "Test double GPU");
  }
}

TEST_CASE("GPU metrics: the peak is that of all GPUs since it was taken",
          "[sampler]") {
  GpuJob job(
      "0 0 devices 2\n0 0 gpu_util 90\n0 1 gpu_util 30\n"
      "0.3 0 gpu_util 0\n0.3 1 gpu_util 10\n",
      "0-1");
  CHECK_FALSE(job.peak().Take());
  job.SampleFirst();
  CHECK(job.peak().Take() == 0.9);
  CHECK_FALSE(job.peak().Take());
  CHECK(WaitFor([&] {
    job.Sample();
    return job.peak().Take() == 0.1;
  }));
}

TEST_CASE("GPU metrics: an Xid is an event of its GPU", "[sampler]") {
  GpuJob job("0 0 devices 2\n0 0 gpu_util 1\n0 1 gpu_util 1\n0 1 xid 79\n",
             "0-1");
  job.SampleFirst();
  const auto samples = job.Take();
  REQUIRE(samples.events_size() == 1);
  CHECK(samples.events(0).kind() == "xid");
  CHECK(samples.events(0).labels().at("gpu") == "1");
  CHECK(samples.events(0).labels().at("code") == "79");
}

TEST_CASE("GPU metrics: a lost GPU is reported once, others are sampled",
          "[sampler]") {
  GpuJob job("0 0 devices 2\n0 0 gpu_util 1\n0 1 gpu_util 1\n0.3 0 error 15\n",
             "0-1");
  job.SampleFirst();
  job.Take();
  std::vector<std::string> events;
  std::map<std::string, double> values;
  REQUIRE(WaitFor([&] {
    job.Sample();
    const auto samples = job.Take();
    for (const auto& event : samples.events()) events.push_back(event.text());
    values = Values(samples);
    return !events.empty();
  }));
  CHECK(values ==
        std::map<std::string, double>{{"carme_gpu_utilization_ratio,1", 0.01}});
  job.Sample();
  CHECK(job.Take().events().empty());
  CHECK(events ==
        std::vector<std::string>{"GPU 0: nvmlDeviceGet: GPU is lost"});
}

TEST_CASE("GPU metrics: a driver that hangs is dead and not called again",
          "[sampler]") {
  GpuJob job("0 0 gpu_util 1\n0.3 0 slow_ms 3000\n");
  job.SampleFirst();
  job.Take();
  carme::v1::NodeSamples samples;
  REQUIRE(WaitFor([&] {
    job.Sample();
    samples = job.Take();
    return samples.events_size() > 0;
  }));
  CHECK(samples.events(0).kind() == "source_dead");
  CHECK(samples.sources(0).dead());
  CHECK(samples.series().empty());
  const absl::Time before = absl::Now();
  CHECK_FALSE(job.Sample());
  CHECK(absl::Now() - before < absl::Milliseconds(100));
}

TEST_CASE("GPU metrics: a driver that does not open blocks no round",
          "[sampler]") {
  GpuJob job("0 0 slow_ms 1500\n0 0 gpu_util 1\n", "0", absl::Seconds(5));
  const absl::Time before = absl::Now();
  CHECK_FALSE(job.Sample());
  CHECK(absl::Now() - before < absl::Milliseconds(500));
  job.Skip(absl::Seconds(5));
  CHECK_FALSE(job.Sample());
  const auto samples = job.Take();
  REQUIRE(samples.events_size() == 1);
  CHECK(samples.events(0).kind() == "source_dead");
}

}  // namespace
}  // namespace carme::sampler
