// The rules that are shipped: each finds the job that it is for, and nothing in
// a job that works.
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/file.h"
#include "tests/common/metric_rules/job_samples.h"
#include "tests/support/status_matchers.h"

namespace carme::metric_rules {
namespace {

using Labels = std::map<std::string, std::string>;

const RuleSet& ShippedRules() {
  static const RuleSet rules = [] {
    const auto text = ReadFile(CARME_METRIC_RULES);
    REQUIRE_THAT(text, IsOk());
    auto set = ParseRules(*text, "metric-rules.yaml");
    REQUIRE_THAT(set, IsOk());
    return *std::move(set);
  }();
  return rules;
}

std::set<std::string> Found(const SampledJob& job) {
  std::set<std::string> names;
  for (const RuleFinding& finding :
       EvaluateRules(ShippedRules(), job.samples())) {
    names.insert(finding.rule->name);
  }
  return names;
}

Labels Gpu(int gpu) { return {{"node", "n1"}, {"gpu", std::to_string(gpu)}}; }
const Labels kNode = {{"node", "n1"}};
constexpr int64_t kTwoHours_s = 7200;

// Two GPUs with this utilisation.
SampledJob GpuJob(double first, double second) {
  SampledJob job(kTwoHours_s);
  job.Add("carme_gpu_utilization_ratio", Gpu(0), first)
      .Add("carme_gpu_utilization_ratio", Gpu(1), second);
  return job;
}

using Names = std::set<std::string>;

TEST_CASE("shipped rules: each has German texts", "[rules]") {
  for (const Rule& rule : ShippedRules().rules) {
    CAPTURE(rule.name);
    REQUIRE(rule.translations.contains("de"));
    CHECK_FALSE(rule.translations.at("de").title.empty());
    CHECK_FALSE(rule.translations.at("de").remedy.empty());
  }
}

TEST_CASE("shipped rules: nothing is found in a job that works", "[rules]") {
  SampledJob job = GpuJob(0.9, 0.85);
  for (int rank = 0; rank < 4; ++rank) {
    job.AddCounter(
        "carme_rank_cpu_seconds_total",
        {{"node", "n1"}, {"step", "0"}, {"rank", std::to_string(rank)}},
        0.9 + 0.05 * rank);
  }
  job.AddCounter("carme_job_pressure_some_seconds_total",
                 {{"node", "n1"}, {"resource", "cpu"}}, 0.7)
      .Add("carme_job_memory_anonymous_bytes", kNode, 40e9)
      .Add("carme_job_memory_bytes", kNode, 60e9)
      .Add("carme_job_memory_limit_bytes", kNode, 64e9)
      .Add("carme_gpu_thermal_slowdown_ratio", Gpu(0), 0.01)
      .Add("carme_gpu_power_brake_ratio", Gpu(0), 0)
      .AddCounter("carme_job_storage_written_bytes_total", kNode, 200e6)
      .AddCounter("carme_node_filesystem_metadata_operations_total",
                  {{"node", "n1"}, {"mount", "/home"}}, 300)
      .AddEvent(5, "first_step");
  CHECK(Found(job) == Names{});
}

TEST_CASE("shipped rules: a GPU held idle is found, and the imbalance",
          "[rules]") {
  CHECK(Found(GpuJob(0, 0)) == Names{"gpu-idle"});
  CHECK(Found(GpuJob(0.9, 0.01)) == Names{"gpu-idle", "gpu-imbalance"});
  CHECK(Found(GpuJob(0.9, 0.3)) == Names{"gpu-imbalance"});
}

constexpr char kRankCpu[] = "carme_rank_cpu_seconds_total";

// Ranks of a step, two on a node; `slow` uses a tenth of the CPU of the others.
void AddRanks(const std::string& step, int count, double cpu, int slow,
              SampledJob* job) {
  for (int rank = 0; rank < count; ++rank) {
    job->AddCounter(kRankCpu,
                    {{"node", "n" + std::to_string(1 + rank / 2)},
                     {"step", step},
                     {"rank", std::to_string(rank)}},
                    rank == slow ? cpu / 10 : cpu);
  }
}

// What a job has beside its ranks: the batch shell, the extern step, and
// Carme's agents.
void AddCarme(SampledJob* job) {
  job->AddCounter(kRankCpu, {{"node", "n1"}, {"step", "batch"}}, 0.01)
      .AddCounter(kRankCpu, {{"node", "n1"}, {"step", "extern"}}, 0)
      .AddCounter(kRankCpu, {{"node", "n2"}, {"step", "0"}}, 0.02)
      .AddCounter(kRankCpu, {{"node", "n3"}, {"step", "0"}}, 0.001)
      .AddCounter(kRankCpu, {{"node", "n1"}}, 0.01);
}

TEST_CASE("shipped rules: neither the batch shell nor agents are stragglers",
          "[rules]") {
  for (const int ranks : {2, 4, 8}) {
    CAPTURE(ranks);
    SampledJob job(kTwoHours_s);
    AddCarme(&job);
    AddRanks("1", ranks, 1, -1, &job);
    CHECK(Found(job) == Names{});
  }
  // Steps of different load side by side.
  SampledJob job(kTwoHours_s);
  AddCarme(&job);
  AddRanks("1", 8, 1, -1, &job);
  AddRanks("2", 1, 0.1, -1, &job);
  AddRanks("3", 4, 0.2, -1, &job);
  CHECK(Found(job) == Names{});
}

TEST_CASE("shipped rules: one straggler among ranks is found", "[rules]") {
  for (const int ranks : {4, 8}) {
    CAPTURE(ranks);
    SampledJob job(kTwoHours_s);
    AddCarme(&job);
    AddRanks("1", ranks, 1, 2, &job);
    AddRanks("2", 4, 0.1, -1, &job);
    const auto findings = EvaluateRules(ShippedRules(), job.samples());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].rule->name == "straggler");
    CHECK(findings[0].group ==
          Labels{{"node", "n2"}, {"step", "1"}, {"rank", "2"}});
  }
}

TEST_CASE("shipped rules: GPUs that wait for data are found", "[rules]") {
  const auto waiting = [](const char* resource) {
    SampledJob job = GpuJob(0.3, 0.3);
    job.AddCounter("carme_job_pressure_some_seconds_total",
                   {{"node", "n1"}, {"resource", resource}}, 0.7);
    return Found(job);
  };
  CHECK(waiting("cpu") == Names{"data-loader-cpu"});
  CHECK(waiting("io") == Names{"data-loader-io"});
  CHECK(waiting("memory") == Names{});
}

TEST_CASE("shipped rules: without pressure the CPUs of the job count",
          "[rules]") {
  const auto busy = [](double cpus) {
    SampledJob job = GpuJob(0.3, 0.3);
    job.AddCounter("carme_job_cpu_seconds_total", kNode, cpus)
        .AddCounter("carme_job_cpu_seconds_total",
                    {{"node", "n1"}, {"step", "0"}}, cpus)
        .Add("carme_job_cpus", kNode, 8);
    return job;
  };
  CHECK(Found(busy(7)) == Names{});
  CHECK(Found(busy(7.9)) == Names{"data-loader-cpu"});
  CHECK(Found(busy(7.9).AddCounter("carme_job_pressure_some_seconds_total",
                                   {{"node", "n1"}, {"resource", "cpu"}},
                                   0.1)) == Names{});
}

TEST_CASE("shipped rules: memory of one step that replaces another is no creep",
          "[rules]") {
  // The job holds as much all the time, in more steps.
  SampledJob job(kTwoHours_s);
  job.Add("carme_job_memory_anonymous_bytes", kNode, 40e9)
      .Add("carme_job_memory_bytes", kNode, 40e9)
      .Add("carme_job_memory_limit_bytes", kNode, 64e9);
  for (int step = 0; step < 4; ++step) {
    const Labels labels = {{"node", "n1"}, {"step", std::to_string(step)}};
    for (const char* name :
         {"carme_job_memory_anonymous_bytes", "carme_job_memory_bytes"}) {
      job.Add(name, labels, [step](int64_t s) -> std::optional<double> {
        if (s < step * 1800) return std::nullopt;
        return 10e9;
      });
    }
    job.Add("carme_job_memory_limit_bytes", labels, 64e9);
  }
  CHECK(Found(job) == Names{});
}

TEST_CASE("shipped rules: memory that creeps towards the limit is found",
          "[rules]") {
  const auto creeping = [](double limit) {
    SampledJob job(kTwoHours_s);
    const auto grows = [](int64_t s) {
      return std::optional(30e9 + 2e6 * static_cast<double>(s));
    };
    job.Add("carme_job_memory_anonymous_bytes", kNode, grows)
        .Add("carme_job_memory_bytes", kNode, grows)
        .Add("carme_job_memory_limit_bytes", kNode, limit);
    return Found(job);
  };
  CHECK(creeping(64e9) == Names{"memory-creep"});
  CHECK(creeping(500e9) == Names{});
}

TEST_CASE("shipped rules: throttled GPUs are found", "[rules]") {
  SampledJob job = GpuJob(0.9, 0.9);
  job.Add("carme_gpu_thermal_slowdown_ratio", Gpu(0), 0.5);
  CHECK(Found(job) == Names{"gpu-too-hot"});
  job.Add("carme_gpu_power_brake_ratio", Gpu(1), 0.5);
  CHECK(Found(job) == Names{"gpu-too-hot", "gpu-power-brake"});
}

TEST_CASE("shipped rules: an Xid and a loss that is not a number are found",
          "[rules]") {
  SampledJob job = GpuJob(0.9, 0.9);
  job.AddEvent(100, "xid", {{"gpu", "0"}, {"code", "79"}});
  CHECK(Found(job) == Names{"xid"});
  job.AddEvent(200, "not_finite", {{"value", "loss"}});
  CHECK(Found(job) == Names{"xid", "not-a-number"});
  job.AddEvent(300, "xid", {{"gpu", "1"}, {"code", "31"}});
  CHECK(Found(job) == Names{"xid", "xid-of-program", "not-a-number"});
}

TEST_CASE("shipped rules: only errors of hardware concern the node",
          "[rules]") {
  Names of_nodes;
  for (const Rule& rule : ShippedRules().rules) {
    if (rule.concerns == RuleSubject::kNode) of_nodes.insert(rule.name);
  }
  CHECK(of_nodes == Names{"gpu-too-hot", "gpu-power-brake", "xid", "gpu-lost",
                          "memory-error", "link-change"});
}

TEST_CASE("shipped rules: events of the node are found with their node",
          "[rules]") {
  for (const auto& [kind, rule] : {std::pair{"gpu_lost", "gpu-lost"},
                                   {"edac", "memory-error"},
                                   {"link", "link-change"},
                                   {"oom", "out-of-memory"}}) {
    CAPTURE(kind);
    SampledJob job = GpuJob(0.9, 0.9);
    job.AddEvent(100, kind, {{"node", "n2"}, {"pid", "7"}});
    const auto findings = EvaluateRules(ShippedRules(), job.samples());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].rule->name == rule);
    CHECK(findings[0].group == Labels{{"node", "n2"}});
  }
}

TEST_CASE("shipped rules: GPUs that wait for a checkpoint are found",
          "[rules]") {
  SampledJob job(kTwoHours_s);
  // Five minutes of each 20.
  const auto is_writing = [](int64_t s) { return s % 1200 < 300; };
  job.Add("carme_gpu_utilization_ratio", Gpu(0),
          [&](int64_t s) { return std::optional(is_writing(s) ? 0.0 : 0.9); });
  job.Add("carme_job_storage_written_bytes_total", kNode, [](int64_t s) {
    const int64_t writing_s = s / 1200 * 300 + std::min<int64_t>(s % 1200, 300);
    return std::optional(2e8 * static_cast<double>(writing_s));
  });
  CHECK(Found(job) == Names{"checkpoint-stall"});
}

TEST_CASE("shipped rules: a metadata storm is found", "[rules]") {
  SampledJob job(kTwoHours_s);
  job.AddCounter("carme_node_filesystem_metadata_operations_total",
                 {{"node", "n1"}, {"mount", "/home"}}, 9000);
  CHECK(Found(job) == Names{"metadata-storm"});
}

}  // namespace
}  // namespace carme::metric_rules
