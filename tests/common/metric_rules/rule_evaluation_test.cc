#include "common/metric_rules/rule_evaluation.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/common/metric_rules/job_samples.h"
#include "tests/support/status_matchers.h"

namespace carme::metric_rules {
namespace {

RuleSet OneRule(const std::string& lines) {
  auto set = ParseRules("rules:\n- name: a\n  title: A\n  remedy: R\n" + lines,
                        "r.yaml");
  REQUIRE_THAT(set, IsOk());
  return *std::move(set);
}

const RuleSet& IdleGpu() {
  static const RuleSet rules = OneRule(
      "  per: [node, gpu]\n  for: 2m\n  when: [{series: util, below: 0.1}]\n");
  return rules;
}

std::map<std::string, std::string> Gpu(const std::string& gpu) {
  return {{"node", "n1"}, {"gpu", gpu}};
}

TEST_CASE("metric rules: samples that are missing are no finding", "[rules]") {
  CHECK(EvaluateRules(IdleGpu(), SampledJob(600).samples()).empty());
  SampledJob job(600);
  job.Add("util", Gpu("0"), [](int64_t s) -> std::optional<double> {
    if (s > 60) return std::nullopt;
    return 0;
  });
  CHECK(EvaluateRules(IdleGpu(), job.samples()).empty());
  // A series without the label of the group belongs to none.
  CHECK(
      EvaluateRules(IdleGpu(),
                    SampledJob(600).Add("util", {{"node", "n1"}}, 0).samples())
          .empty());
}

TEST_CASE("metric rules: a time that is too short is no finding", "[rules]") {
  SampledJob job(600);
  // Twice 110 s.
  job.Add("util", Gpu("0"), [](int64_t s) {
    return std::optional((s >= 100 && s < 210) || (s >= 300 && s < 410) ? 0.0
                                                                        : 1.0);
  });
  CHECK(EvaluateRules(IdleGpu(), job.samples()).empty());
}

TEST_CASE("metric rules: a finding has its times, group and samples",
          "[rules]") {
  SampledJob job(1000);
  job.Add("util", Gpu("0"), 0.9);
  job.Add("util", Gpu("1"), [](int64_t s) {
    return std::optional((s >= 100 && s < 300) || (s >= 500 && s < 800) ? 0.05
                                                                        : 1.0);
  });
  const RuleSet& rules = IdleGpu();
  const auto findings = EvaluateRules(rules, job.samples());
  REQUIRE(findings.size() == 1);
  const RuleFinding& finding = findings[0];
  CHECK(finding.rule == &rules.rules[0]);
  CHECK(finding.group == Gpu("1"));
  CHECK(finding.from_ms == kJobStart_ms + 100'000);
  CHECK(finding.to_ms == kJobStart_ms + 800'000);
  CHECK(finding.held_s == 500);
  REQUIRE(finding.samples.size() == 1);
  const CitedSamples& cited = finding.samples[0];
  CHECK(cited.subject == "util");
  CHECK(cited.limit == "below 0.1");
  CHECK(cited.mean == Approx(0.05));
  CHECK(cited.max == Approx(0.05));
  // Of the longer time, 30 steps.
  REQUIRE(cited.points.size() == 8);
  CHECK(cited.points[0].first == kJobStart_ms + 500'000);
  CHECK(cited.points[1].first == kJobStart_ms + 540'000);
}

TEST_CASE("metric rules: all conditions hold at the same time", "[rules]") {
  const RuleSet rules = OneRule(
      "  per: [node, gpu]\n  for: 1m\n  when:\n"
      "  - {series: util, below: 0.5, above: 0.1}\n"
      "  - {series: wait_total, labels: {resource: io}, function: rate, above: "
      "0.4}\n");
  SampledJob job(600);
  job.Add("util", Gpu("0"), 0.3).Add("util", Gpu("1"), 0.05);
  CHECK(EvaluateRules(rules, job.samples()).empty());
  // The node's counter belongs to each of its GPUs.
  job.AddCounter("wait_total", {{"node", "n1"}, {"resource", "cpu"}}, 0.9);
  CHECK(EvaluateRules(rules, job.samples()).empty());
  job.AddCounter("wait_total", {{"node", "n1"}, {"resource", "io"}}, 0.5);
  const auto findings = EvaluateRules(rules, job.samples());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].group == Gpu("0"));
  CHECK(findings[0].samples[1].subject == "rate of wait_total");
  CHECK(findings[0].samples[1].mean == Approx(0.5));
  // The first rate is known after the window.
  CHECK(findings[0].from_ms == kJobStart_ms + 60'000);
}

TEST_CASE("metric rules: a counter that was reset has no rate there",
          "[rules]") {
  const RuleSet rules =
      OneRule("  when: [{series: c_total, function: rate, below: 0.5}]\n");
  SampledJob job(600);
  job.Add("c_total", {{"node", "n1"}}, [](int64_t s) {
    return std::optional(static_cast<double>(s < 300 ? s + 1000 : s - 300));
  });
  CHECK(EvaluateRules(rules, job.samples()).empty());
}

TEST_CASE("metric rules: a rank is compared with the median of all",
          "[rules]") {
  const RuleSet rules = OneRule(
      "  per: [rank]\n  max_groups: 1\n  when: [{series: c_total, function: "
      "rate, relative_to: median, below: 0.5}]\n");
  const auto job_of = [](std::initializer_list<double> rates) {
    SampledJob job(600);
    int rank = 0;
    for (const double rate : rates) {
      job.AddCounter("c_total", {{"rank", std::to_string(rank++)}}, rate);
    }
    return job;
  };
  // Two ranks have no median, equal ones no straggler, two slow ones are a
  // crowd.
  CHECK(EvaluateRules(rules, job_of({1, 0.1}).samples()).empty());
  CHECK(EvaluateRules(rules, job_of({1, 0.9, 1, 1}).samples()).empty());
  CHECK(EvaluateRules(rules, job_of({1, 0.1, 0.1, 1, 1}).samples()).empty());
  const auto findings = EvaluateRules(rules, job_of({1, 0.2, 1, 1}).samples());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].group.at("rank") == "1");
  CHECK(findings[0].samples[0].mean == Approx(0.2));
}

TEST_CASE("metric rules: groups are compared within their step", "[rules]") {
  const RuleSet rules = OneRule(
      "  per: [step, rank]\n  within: [step]\n  max_groups: 1\n  when: "
      "[{series: c_total, function: rate, relative_to: median, below: 0.5}]\n");
  const auto add_step = [](const std::string& step,
                           std::initializer_list<double> rates,
                           SampledJob* job) {
    int rank = 0;
    for (const double rate : rates) {
      job->AddCounter("c_total",
                      {{"step", step}, {"rank", std::to_string(rank++)}}, rate);
    }
  };
  // The light step is not slow, only another program.
  SampledJob even(600);
  add_step("0", {1, 1, 1, 1}, &even);
  add_step("1", {0.1, 0.1, 0.1}, &even);
  CHECK(EvaluateRules(rules, even.samples()).empty());
  // One of each step is one, not a crowd.
  SampledJob slow(600);
  add_step("0", {1, 0.2, 1, 1}, &slow);
  add_step("1", {0.1, 0.1, 0.1, 0.02}, &slow);
  const auto findings = EvaluateRules(rules, slow.samples());
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].group ==
        std::map<std::string, std::string>{{"step", "0"}, {"rank", "1"}});
  CHECK(findings[1].group ==
        std::map<std::string, std::string>{{"step", "1"}, {"rank", "3"}});
}

TEST_CASE("metric rules: a series without the labels of the groups is in none",
          "[rules]") {
  const RuleSet rules = OneRule(
      "  per: [rank]\n  when: [{series: c_total, function: rate, aggregate: "
      "sum, below: 0.5}]\n");
  SampledJob job(600);
  job.AddCounter("c_total", {{"rank", "0"}}, 0.1)
      .AddCounter("c_total", {}, 1)
      .AddCounter("c_total", {{"step", "batch"}}, 1);
  const auto findings = EvaluateRules(rules, job.samples());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].samples[0].mean == Approx(0.1));
}

TEST_CASE("metric rules: an empty value is an absent label", "[rules]") {
  SampledJob job(600);
  const std::map<std::string, std::string> node = {{"node", "n1"}};
  const std::map<std::string, std::string> step = {{"node", "n1"},
                                                   {"step", "0"}};
  job.Add("bytes", node, 50).Add("bytes", step, 10);
  job.Add("limit", node, 100).Add("limit", step, 20);
  const auto mean = [&](const std::string& labels) {
    const RuleSet rules =
        OneRule("  when: [{series: bytes, divide_by: limit, aggregate: sum, " +
                labels + " above: 0}]\n");
    return EvaluateRules(rules, job.samples()).at(0).samples[0].mean;
  };
  CHECK(mean("") == Approx(60.0 / 120));
  CHECK(mean("labels: {step: \"\"},") == Approx(50.0 / 100));
  CHECK(mean("except: {step: \"\"},") == Approx(10.0 / 120));
  CHECK(mean("labels: {step: [\"\", '0']},") == Approx(60.0 / 120));
  // A divisor needs no label that the series has.
  CHECK(mean("labels: {step: '0'},") == Approx(10.0 / 120));
}

TEST_CASE("metric rules: another series is compared where one is missing",
          "[rules]") {
  const RuleSet rules = OneRule(
      "  per: [node]\n  when:\n  - {series: util, below: 0.5}\n"
      "  - {series: pressure, above: 0.5, if_missing: {series: busy, above: "
      "0.9}}\n");
  SampledJob job(600);
  for (const char* node : {"n1", "n2", "n3", "n4"}) {
    job.Add("util", {{"node", node}}, 0.1);
  }
  job.Add("pressure", {{"node", "n1"}}, 0.7)
      .Add("pressure", {{"node", "n2"}}, 0.1)
      .Add("busy", {{"node", "n2"}}, 1)
      .Add("busy", {{"node", "n3"}}, 1)
      .Add("busy", {{"node", "n4"}}, 0.8);
  const auto findings = EvaluateRules(rules, job.samples());
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].group.at("node") == "n1");
  CHECK(findings[0].samples[1].subject == "pressure");
  CHECK(findings[1].group.at("node") == "n3");
  CHECK(findings[1].samples[1].subject == "busy");
  CHECK(findings[1].samples[1].limit == "above 0.9");
}

TEST_CASE("metric rules: thousands of GPUs are told apart", "[rules]") {
  const RuleSet rules = OneRule(
      "  per: [node, gpu]\n  for: 1m\n  when:\n"
      "  - {series: util, below: 0.1}\n  - {series: memory, above: 0.5}\n");
  SampledJob job(120);
  for (int node = 0; node < 2688; ++node) {
    const std::string name = "n" + std::to_string(node);
    for (int gpu = 0; gpu < 4; ++gpu) {
      job.Add("util", {{"node", name}, {"gpu", std::to_string(gpu)}},
              gpu == 3 && node % 1000 == 7 ? 0.0 : 0.9);
    }
    job.Add("memory", {{"node", name}}, node == 1007 ? 0.1 : 0.9);
  }
  const auto findings = EvaluateRules(rules, job.samples());
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].group ==
        std::map<std::string, std::string>{{"node", "n2007"}, {"gpu", "3"}});
  CHECK(findings[1].group ==
        std::map<std::string, std::string>{{"node", "n7"}, {"gpu", "3"}});
}

TEST_CASE("metric rules: growth, spread and quotients are computed",
          "[rules]") {
  SampledJob job(600);
  job.Add("bytes", {{"node", "n1"}}, [](int64_t s) {
    return std::optional(1000.0 + static_cast<double>(s));
  });
  job.Add("limit", {{"node", "n1"}}, 2000);
  job.Add("util", Gpu("0"), 0.2).Add("util", Gpu("1"), 0.8);
  const auto cited = [&](const std::string& condition) {
    const RuleSet rules = OneRule("  when: [{" + condition + "}]\n");
    const auto findings = EvaluateRules(rules, job.samples());
    REQUIRE(findings.size() == 1);
    return findings[0].samples[0];
  };
  const CitedSamples growth =
      cited("series: bytes, function: growth, window: 5m, above: 0");
  CHECK(growth.subject == "growth of bytes in 5m");
  CHECK(growth.max == Approx(300.0 / 1002.5));
  const CitedSamples spread =
      cited("series: util, aggregate: spread, above: 0.5");
  CHECK(spread.mean == Approx(0.75));
  const CitedSamples quotient =
      cited("series: bytes, divide_by: limit, above: 0.5");
  CHECK(quotient.min == Approx(1002.5 / 2000));
  CHECK(quotient.subject == "bytes / limit");
  CHECK(
      cited("series: bytes, function: increase, window: 1m, above: 50").mean ==
      Approx(60));
}

TEST_CASE("metric rules: an event is a finding at its time", "[rules]") {
  const RuleSet rules =
      OneRule("  per: [gpu]\n  when: [{event: xid, labels: {code: '79'}}]\n");
  SampledJob job(600);
  job.AddEvent(10, "oom", {{"gpu", "0"}, {"code", "79"}})
      .AddEvent(20, "xid", {{"gpu", "0"}, {"code", "13"}})
      .AddEvent(95, "xid", {{"gpu", "1"}, {"code", "79"}});
  const auto findings = EvaluateRules(rules, job.samples());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].group.at("gpu") == "1");
  CHECK(findings[0].from_ms == kJobStart_ms + 90'000);
  CHECK(findings[0].to_ms == kJobStart_ms + 100'000);
  CHECK(findings[0].samples[0].subject == "event xid (code=79)");
}

TEST_CASE("metric rules: the group of an event has the labels that it has",
          "[rules]") {
  const RuleSet rules = OneRule(
      "  per: [node, gpu, device, code]\n  when: [{event: xid, except: {code: "
      "['13', '31']}}]\n");
  SampledJob job(600);
  job.AddEvent(10, "xid", {{"node", "n1"}, {"gpu", "0"}, {"code", "31"}})
      .AddEvent(20, "xid", {{"node", "n1"}, {"gpu", "0"}, {"code", "79"}})
      .AddEvent(30, "xid",
                {{"node", "n2"}, {"device", "3b:00"}, {"code", "79"}})
      .AddEvent(40, "xid", {{"node", "n2"}})
      .AddEvent(50, "xid");
  const auto findings = EvaluateRules(rules, job.samples());
  std::set<std::map<std::string, std::string>> groups;
  for (const RuleFinding& finding : findings) {
    CHECK(finding.held_s == 10);
    groups.insert(finding.group);
  }
  CHECK(groups == std::set<std::map<std::string, std::string>>{
                      {},
                      {{"node", "n2"}},
                      {{"node", "n2"}, {"device", "3b:00"}, {"code", "79"}},
                      {{"node", "n1"}, {"gpu", "0"}, {"code", "79"}}});
}

TEST_CASE("metric rules: an event at an impossible time is within the job",
          "[rules]") {
  const RuleSet rules = OneRule("  per: [node]\n  when: [{event: xid}]\n");
  const auto found = [&](int64_t time_ms) {
    JobSamples samples = SampledJob(600).samples();
    samples.events.push_back({time_ms, "xid", {{"node", "n1"}}});
    const auto findings = EvaluateRules(rules, samples);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].held_s == 10);
    return findings[0].from_ms - kJobStart_ms;
  };
  for (const int64_t early : {INT64_MIN, int64_t{-1}, kJobStart_ms - 1}) {
    CHECK(found(early) == 0);
  }
  for (const int64_t late : {INT64_MAX, kJobStart_ms + 86'400'000}) {
    CHECK(found(late) == 600'000);
  }
  CHECK(found(kJobStart_ms + 59'000) == 50'000);
}

TEST_CASE("metric rules: impossible times of a job do not overflow",
          "[rules]") {
  for (const auto& [from, to] : {std::pair{INT64_MIN, INT64_MAX},
                                 {INT64_MAX, INT64_MIN},
                                 {INT64_MAX, INT64_MAX}}) {
    JobSamples samples;
    samples.from_ms = from;
    samples.to_ms = to;
    samples.step_s = INT64_MAX;
    samples.series.push_back(
        {"util", Gpu("0"), {{INT64_MIN, 0}, {0, 0}, {INT64_MAX, 0}}});
    CHECK(EvaluateRules(IdleGpu(), samples).size() <= 1);
  }
}

TEST_CASE("metric rules: the severest findings come first, within a limit",
          "[rules]") {
  const auto set = ParseRules(
      "rules:\n"
      "- {name: a, title: A, remedy: R, severity: info, per: [gpu], when: "
      "[{series: util, below: 2}]}\n"
      "- {name: b, title: B, remedy: R, severity: error, when: [{event: "
      "xid}]}\n",
      "r.yaml");
  REQUIRE_THAT(set, IsOk());
  SampledJob job(60);
  for (int gpu = 0; gpu < 300; ++gpu) {
    job.Add("util", Gpu(std::to_string(gpu)), 1);
  }
  job.AddEvent(1, "xid");
  const auto findings = EvaluateRules(*set, job.samples());
  CHECK(findings.size() == kMaxFindings);
  CHECK(findings[0].rule->name == "b");
}

}  // namespace
}  // namespace carme::metric_rules
