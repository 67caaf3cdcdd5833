#include "common/metric_rules/rule_evaluation.h"

#include <catch2/catch.hpp>
#include <string>

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
  CHECK(findings[0].samples[0].subject == "event xid");
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
