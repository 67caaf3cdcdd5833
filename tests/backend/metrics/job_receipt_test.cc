#include "backend/metrics/findings/job_receipt.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace carme::metrics {
namespace {

using archive::v1::ArchivedSeries;
using archive::v1::JobArchive;

constexpr int64_t kStart_ms = 1'800'000'000'000;
constexpr double kGap = NAN;

// Of a job that asked for 8 CPUs and 2 GPUs on one node, and ran for a minute.
JobArchive MinuteJob() {
  JobArchive archive;
  v1::MeasuredJob* job = archive.mutable_job();
  job->add_nodes("n1");
  job->set_cpus_per_node(8);
  job->set_gpus_per_node(2);
  job->set_started_at_ms(kStart_ms);
  job->set_ended_at_ms(kStart_ms + 60'000);
  return archive;
}

ArchivedSeries* Add(const std::string& name, const std::vector<double>& values,
                    JobArchive* archive, const std::string& gpu = "") {
  ArchivedSeries* series = archive->add_series();
  series->set_name(name);
  series->set_node("n1");
  if (!gpu.empty()) (*series->mutable_labels())["gpu"] = gpu;
  archive::v1::Resolution* points = series->add_resolutions();
  points->set_step_s(10);
  points->set_first_ms(kStart_ms);
  *points->mutable_values() = {values.begin(), values.end()};
  return series;
}

TEST_CASE("job receipt: what was not sampled is absent", "[metrics]") {
  const v1::JobReceipt receipt = MakeReceipt(MinuteJob());
  CHECK(receipt.length_s() == 60);
  CHECK(receipt.asked().cpus_per_node() == 8);
  CHECK_FALSE(receipt.asked().has_memory_bytes_per_node());
  CHECK_FALSE(receipt.enough().has_cpus_per_node());
  CHECK_FALSE(receipt.enough().has_gpus_per_node());
  CHECK_FALSE(receipt.enough().has_memory_bytes_per_node());
  CHECK_FALSE(receipt.has_score());
  CHECK(receipt.used().empty());
  CHECK(receipt.energy_joules() == 0);
}

TEST_CASE("job receipt: says what would have been enough", "[metrics]") {
  JobArchive archive = MinuteJob();
  // 2.5 CPUs, then 1; a gap and a counter that was reset have no rate.
  Add("carme_job_cpu_seconds_total", {0, 25, kGap, 75, 85, 0, 10}, &archive);
  Add("carme_job_memory_bytes", {60e9, 60e9}, &archive);
  Add("carme_job_memory_anonymous_bytes", {2e9, 10e9, 3e9}, &archive);
  Add("carme_job_memory_shared_bytes", {1e9, 1e9}, &archive);
  Add("carme_job_memory_limit_bytes", {64e9}, &archive);
  Add("carme_gpu_utilization_ratio", {0, 0.9, 0.8}, &archive, "0");
  Add("carme_gpu_utilization_ratio", {0, 0.02, kGap}, &archive, "1");
  const v1::JobReceipt receipt = MakeReceipt(archive);
  CHECK(receipt.enough().nodes() == 1);
  CHECK(receipt.enough().cpus_per_node() == 3);
  CHECK(receipt.enough().gpus_per_node() == 1);
  // 11 GB and a fifth, in whole GiB.
  CHECK(receipt.enough().memory_bytes_per_node() == int64_t{13} << 30);
  CHECK(receipt.asked().memory_bytes_per_node() == 64'000'000'000);
}

TEST_CASE("job receipt: a job that ended with its walltime needed more",
          "[metrics]") {
  JobArchive archive = MinuteJob();
  archive.mutable_job()->set_result("completed");
  CHECK_FALSE(MakeReceipt(archive).asked().has_walltime_s());
  CHECK_FALSE(MakeReceipt(archive).enough().has_walltime_s());
  archive.mutable_job()->set_walltime_s(60);
  archive.mutable_job()->set_result("time_limit");
  CHECK(MakeReceipt(archive).asked().walltime_s() == 60);
  CHECK_FALSE(MakeReceipt(archive).enough().has_walltime_s());
  archive.mutable_job()->clear_ended_at_ms();
  archive.mutable_job()->clear_result();
  CHECK_FALSE(MakeReceipt(archive).enough().has_walltime_s());
}

TEST_CASE("job receipt: a fifth more walltime than a job ran is enough",
          "[metrics]") {
  const auto enough_s = [](int64_t ran_s) {
    JobArchive archive = MinuteJob();
    archive.mutable_job()->set_ended_at_ms(kStart_ms + ran_s * 1000);
    archive.mutable_job()->set_result("completed");
    archive.mutable_job()->set_walltime_s(86'400);
    return MakeReceipt(archive).enough().walltime_s();
  };
  CHECK(enough_s(0) == 600);
  CHECK(enough_s(500) == 600);
  CHECK(enough_s(501) == 1200);
  CHECK(enough_s(3600) == 4800);
}

TEST_CASE("job summary: has each rule once, without false alarms",
          "[metrics]") {
  v1::JobReceipt receipt;
  receipt.set_length_s(60);
  receipt.set_energy_joules(7);
  const auto add = [&](const char* rule, v1::JobFinding::Severity severity,
                       int64_t held_s) {
    v1::JobFinding* finding = receipt.add_findings();
    finding->set_rule(rule);
    finding->set_severity(severity);
    finding->set_held_s(held_s);
    return finding;
  };
  add("idle", v1::JobFinding::SEVERITY_WARNING, 10);
  add("idle", v1::JobFinding::SEVERITY_ERROR, 5);
  add("quiet", v1::JobFinding::SEVERITY_INFO, 3)->set_muted(true);
  add("wrong", v1::JobFinding::SEVERITY_ERROR, 9)->set_false_alarm(true);
  const v1::JobSummary summary = SummaryOf("jaaaaaaaaaaaaaaa", receipt);
  CHECK(summary.job_id() == "jaaaaaaaaaaaaaaa");
  CHECK(summary.length_s() == 60);
  CHECK(summary.energy_joules() == 7);
  CHECK_FALSE(summary.has_score());
  REQUIRE(summary.found_size() == 2);
  CHECK(summary.found(0).rule() == "idle");
  CHECK(summary.found(0).severity() == v1::JobFinding::SEVERITY_ERROR);
  CHECK(summary.found(0).held_s() == 10);
  CHECK(summary.found(1).rule() == "quiet");
  CHECK_FALSE(summary.has_gpu_use_mean());
}

TEST_CASE("job summary: has the use of GPUs, and the nodes of rules",
          "[metrics]") {
  v1::JobReceipt receipt;
  v1::ResourceUse* use = receipt.add_used();
  use->set_series("carme_gpu_power_watts");
  use->set_mean(300);
  use = receipt.add_used();
  use->set_series("carme_gpu_utilization_ratio");
  use->set_mean(0.25);
  for (int i = 0; i < 40; ++i) {
    for (int gpu = 0; gpu < 2; ++gpu) {
      v1::JobFinding* finding = receipt.add_findings();
      finding->set_rule("gpu-too-hot");
      (*finding->mutable_labels())["node"] = absl::StrCat("n", i);
      (*finding->mutable_labels())["gpu"] = absl::StrCat(gpu);
    }
  }
  const v1::JobSummary summary = SummaryOf("jaaaaaaaaaaaaaaa", receipt);
  CHECK(summary.gpu_use_mean() == 0.25);
  REQUIRE(summary.found_size() == 1);
  CHECK(summary.found(0).nodes_size() == 32);
  CHECK(summary.found(0).nodes(0) == "n0");
  CHECK(summary.found(0).nodes(1) == "n1");
}

TEST_CASE("job summary: has the titles of rules in further languages",
          "[metrics]") {
  v1::JobReceipt receipt;
  v1::JobFinding* finding = receipt.add_findings();
  finding->set_rule("idle");
  (*finding->mutable_translations())["de"].set_title("Untätig");
  (*finding->mutable_translations())["de"].set_remedy("Beenden.");
  (*finding->mutable_translations())["fr"].set_remedy("Arrêter.");
  const v1::JobSummary summary = SummaryOf("jaaaaaaaaaaaaaaa", receipt);
  REQUIRE(summary.found_size() == 1);
  REQUIRE(summary.found(0).translations_size() == 1);
  CHECK(summary.found(0).translations().at("de").title() == "Untätig");
  CHECK(summary.found(0).translations().at("de").remedy().empty());
}

TEST_CASE("job receipt: has peaks, quantiles, energy and score", "[metrics]") {
  JobArchive archive = MinuteJob();
  std::vector<double> watts;
  for (int i = 0; i <= 100; ++i) watts.push_back(i);
  Add("carme_gpu_power_watts", watts, &archive, "0");
  Add("carme_gpu_energy_joules_total", {1000, 1500, kGap, 1700, 20, 120},
      &archive, "0");
  Add("carme_gpu_energy_joules_total", {10, 11}, &archive, "1");
  Add("carme_gpu_saturation_ratio", {0.2, 0.4, 0.9}, &archive, "0");
  for (const char* const part : {"sm_active", "sm_occupancy", "tensor_active",
                                 "fp16_active", "fp32_active", "fp64_active"}) {
    Add(absl::StrCat("carme_gpu_", part, "_ratio"), {0.1, 0.1, 0.1}, &archive,
        "0");
  }
  // Of a step, which the job's values include.
  (*Add("carme_job_cpu_seconds_total", {0, 100}, &archive)
        ->mutable_labels())["step"] = "0";
  const v1::JobReceipt receipt = MakeReceipt(archive);
  REQUIRE(receipt.used_size() == 4);  // with activities
  const v1::ResourceUse& power = receipt.used(0);
  CHECK(power.series() == "carme_gpu_power_watts");
  CHECK(power.peak() == 100);
  CHECK(power.peak_of_means_s() == 10);
  CHECK(power.mean() == Approx(50));
  CHECK(power.median() == Approx(50));
  CHECK(power.quantile_90() == Approx(90));
  CHECK(power.quantile_99() == Approx(99));
  CHECK(receipt.energy_joules() == Approx(500 + 200 + 100 + 1));
  CHECK(receipt.score().median() == Approx(0.4));
  CHECK(receipt.score().mean() == Approx(0.5));
  CHECK(receipt.score().max() == Approx(0.9));
  CHECK(receipt.score().components().flop_active() == Approx(0.4));
}

TEST_CASE("job receipt: peaks are the largest samples where they are kept",
          "[metrics]") {
  JobArchive archive = MinuteJob();
  Add("carme_gpu_power_watts", {100, 300}, &archive, "0")->set_peak(650);
  Add("carme_gpu_power_watts", {400, 300}, &archive, "1");
  // 30 CPUs for 10 s; what was higher for less time is not known.
  Add("carme_job_cpu_seconds_total", {0, 300, 310}, &archive);
  Add("carme_job_memory_bytes", {4e9, 5e9}, &archive)->set_peak(6e9);
  Add("carme_job_memory_peak_bytes", {4e9, 9e9}, &archive)->set_peak(11e9);
  std::map<std::string, v1::ResourceUse> used;
  const v1::JobReceipt receipt = MakeReceipt(archive);
  for (const auto& use : receipt.used()) used[use.series()] = use;
  CHECK(used["carme_gpu_power_watts"].peak() == 650);
  CHECK(used["carme_gpu_power_watts"].peak_of_means_s() == 0);
  CHECK(used["carme_job_cpu_seconds_total"].peak() == Approx(30));
  CHECK(used["carme_job_cpu_seconds_total"].peak_of_means_s() == 10);
  CHECK(used["carme_job_memory_bytes"].peak() == 11e9);
  CHECK(used["carme_job_memory_bytes"].peak_of_means_s() == 0);
}

TEST_CASE("job receipt: memory that only the kernel saw is enough, too",
          "[metrics]") {
  const auto enough_gib = [](double kernel_peak) {
    JobArchive archive = MinuteJob();
    // 30 GB with the cache, of which programs had 10 GB.
    Add("carme_job_memory_bytes", {30e9, 20e9}, &archive);
    Add("carme_job_memory_anonymous_bytes", {10e9, 3e9}, &archive);
    Add("carme_job_memory_peak_bytes", {kernel_peak}, &archive);
    return MakeReceipt(archive).enough().memory_bytes_per_node() >> 30;
  };
  CHECK(enough_gib(29e9) == 12);  // 12 GB: the samples had it
  CHECK(enough_gib(30e9) == 12);
  CHECK(enough_gib(35e9) == 17);  // 10 GB and 5 GB, and a fifth
  // Without what the samples tell apart, all of it.
  JobArchive archive = MinuteJob();
  Add("carme_job_memory_peak_bytes", {10e9}, &archive);
  CHECK(MakeReceipt(archive).enough().memory_bytes_per_node() >> 30 == 12);
}

// Of two nodes. n2 has these CPU seconds and this GPU use.
v1::JobReceipt ReceiptOfTwo(const std::vector<double>& cpu,
                            const std::vector<double>& gpu) {
  JobArchive archive = MinuteJob();
  archive.mutable_job()->add_nodes("n2");
  Add("carme_job_cpu_seconds_total", {0, 80}, &archive);
  Add("carme_gpu_utilization_ratio", {0.9}, &archive, "0");
  if (!cpu.empty()) {
    Add("carme_job_cpu_seconds_total", cpu, &archive)->set_node("n2");
  }
  if (!gpu.empty()) {
    Add("carme_gpu_utilization_ratio", gpu, &archive, "0")->set_node("n2");
  }
  return MakeReceipt(archive);
}

TEST_CASE("job receipt: nodes without samples were needed", "[metrics]") {
  for (const v1::JobReceipt& receipt :
       {ReceiptOfTwo({}, {0}), ReceiptOfTwo({0, 0.1}, {}),
        ReceiptOfTwo({0, 0.1}, {0, 0.06}), ReceiptOfTwo({0, 1.1}, {0})}) {
    CHECK(receipt.enough().nodes() == 2);
    CHECK(receipt.idle_node_count() == 0);
  }
}

TEST_CASE("job receipt: nodes that did nothing were not needed", "[metrics]") {
  const v1::JobReceipt receipt = ReceiptOfTwo({0, 0.9, 1.8}, {0, 0.05});
  CHECK(receipt.asked().nodes() == 2);
  CHECK(receipt.enough().nodes() == 1);
  CHECK(receipt.idle_node_count() == 1);
  REQUIRE(receipt.idle_nodes_size() == 1);
  CHECK(receipt.idle_nodes(0) == "n2");
  // A job needs a node.
  JobArchive archive = MinuteJob();
  archive.mutable_job()->set_gpus_per_node(0);
  Add("carme_job_cpu_seconds_total", {0, 0.1}, &archive);
  CHECK(MakeReceipt(archive).idle_node_count() == 1);
  CHECK(MakeReceipt(archive).enough().nodes() == 1);
}

}  // namespace
}  // namespace carme::metrics
