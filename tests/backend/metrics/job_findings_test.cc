#include "backend/metrics/findings/job_findings.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace carme::metrics {
namespace {

constexpr int64_t kStart_ms = 1'800'000'000'000;
constexpr int64_t kEnd_ms = kStart_ms + 3'600'000;
const absl::Time kNow = absl::FromUnixMillis(kEnd_ms);

metric_rules::RuleSet Rules() {
  auto rules = metric_rules::ParseRules(
      "rules:\n"
      "- name: idle\n  title: Idle\n  severity: info\n  per: [node, gpu]\n"
      "  for: 2m\n  when: [{series: util, below: 0.1}]\n  remedy: Stop it.\n"
      "- name: xid\n  title: Xid\n  severity: error\n  when: [{event: xid}]\n"
      "  remedy: Report it.\n",
      "rules.yaml");
  REQUIRE_THAT(rules, IsOk());
  return *std::move(rules);
}

archive::v1::JobArchive Idle(uint32_t step_s, int every) {
  archive::v1::JobArchive archive;
  archive::v1::ArchivedSeries* series = archive.add_series();
  series->set_name("util");
  series->set_node("n1");
  series->mutable_labels()->insert({"gpu", "0"});
  archive::v1::Resolution* points = series->add_resolutions();
  points->set_step_s(step_s);
  points->set_first_ms(kStart_ms);
  for (uint32_t i = 0; i <= 600 / step_s; ++i) {
    points->add_values(static_cast<int>(i) % every == 0 ? 0.01 : NAN);
  }
  return archive;
}

TEST_CASE("job findings: are found in each resolution of an archive",
          "[metrics]") {
  const metric_rules::RuleSet rules = Rules();
  for (const auto& [step_s, every] :
       {std::pair{1U, 1}, {1U, 5}, {10U, 1}, {60U, 1}, {1U, 60}}) {
    CAPTURE(step_s, every);
    const auto findings = FindIn(Idle(step_s, every), rules, kNow);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].held_s() >= 600);
    CHECK(findings[0].held_s() <= 660);
    CHECK(findings[0].from_ms() == kStart_ms);
    CHECK(findings[0].labels().at("node") == "n1");
    CHECK(findings[0].severity() == v1::JobFinding::SEVERITY_INFO);
    CHECK(findings[0].remedy() == "Stop it.");
    CHECK(findings[0].samples(0).values(0) == Approx(0.01));
  }
}

TEST_CASE("job findings: have the texts of each language of their rule",
          "[metrics]") {
  metric_rules::RuleSet rules = Rules();
  rules.rules[0].translations = {{"de", {"Untätig", "Beenden."}},
                                 {"fr", {"Inactif", ""}}};
  const auto findings = FindIn(Idle(10, 1), rules, kNow);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].title() == "Idle");
  REQUIRE(findings[0].translations_size() == 2);
  CHECK(findings[0].translations().at("de").title() == "Untätig");
  CHECK(findings[0].translations().at("de").remedy() == "Beenden.");
  CHECK(findings[0].translations().at("fr").title() == "Inactif");
}

void AddXid(int64_t time_ms, const std::string& node,
            archive::v1::JobArchive* archive) {
  v1::NodeEvent* event = archive->add_events();
  event->set_kind("xid");
  event->set_time_ms(time_ms);
  event->mutable_labels()->insert({"node", node});
}

TEST_CASE("job findings: events of a job that has not started are no findings",
          "[metrics]") {
  archive::v1::JobArchive archive;
  AddXid(kStart_ms, "n1", &archive);
  CHECK(FindIn(archive, Rules(), kNow).empty());
}

TEST_CASE("job findings: a clock that jumped makes no job longer",
          "[metrics]") {
  const bool ended = GENERATE(false, true);
  const bool has_series = GENERATE(false, true);
  CAPTURE(ended, has_series);
  for (const int64_t time_ms :
       {INT64_MIN, int64_t{0}, kStart_ms - 86'400'000, kStart_ms + 1000,
        kEnd_ms + 86'400'000, INT64_MAX}) {
    CAPTURE(time_ms);
    archive::v1::JobArchive archive;
    if (has_series) archive = Idle(10, 1);
    archive.mutable_job()->set_started_at_ms(kStart_ms);
    if (ended) archive.mutable_job()->set_ended_at_ms(kEnd_ms);
    AddXid(time_ms, "n1", &archive);
    const auto findings = FindIn(archive, Rules(), kNow);
    REQUIRE(findings.size() == (has_series ? 2 : 1));
    const v1::JobFinding& xid = findings[0];
    CHECK(xid.rule() == "xid");
    CHECK(xid.held_s() == 10);
    CHECK(xid.from_ms() >= kStart_ms);
    CHECK(xid.to_ms() <= kEnd_ms);
    CHECK((time_ms > kStart_ms + 1000 || xid.from_ms() == kStart_ms));
    // The step of the samples stays fine: the last one may count or not.
    if (has_series) {
      CHECK(findings[1].held_s() >= 600);
      CHECK(findings[1].held_s() <= 610);
    }
  }
}

v1::JobFinding FindingOf(const std::string& rule,
                         const std::map<std::string, std::string>& labels) {
  v1::JobFinding finding;
  finding.set_rule(rule);
  finding.set_title("Title");
  finding.set_severity(v1::JobFinding::SEVERITY_ERROR);
  finding.mutable_labels()->insert(labels.begin(), labels.end());
  // As of an event.
  finding.add_samples()->set_subject("event " + rule);
  return finding;
}

TEST_CASE("node findings: what a program did is not of the node", "[metrics]") {
  const auto rules = metric_rules::ParseRules(
      "rules:\n- name: not-a-number\n  title: T\n  per: [node]\n"
      "  when: [{event: not_finite}]\n  remedy: R\n",
      "rules.yaml");
  REQUIRE_THAT(rules, IsOk());
  const std::vector<v1::JobFinding> findings = {
      FindingOf("not-a-number", {{"node", "n1"}}),
      FindingOf("removed-rule", {{"node", "n1"}})};
  CHECK(NodeFindingsOf("j", findings, *rules).findings().empty());
}

TEST_CASE("node findings: name the GPUs of each node once a rule",
          "[metrics]") {
  const auto rules = metric_rules::ParseRules(
      "rules:\n- name: xid\n  title: T\n  concerns: node\n"
      "  per: [node, gpu, code]\n  when: [{event: xid}]\n  remedy: R\n"
      "- name: lost\n  title: T\n  concerns: node\n  per: [node]\n"
      "  when: [{event: gpu_lost}]\n  remedy: R\n",
      "rules.yaml");
  REQUIRE_THAT(rules, IsOk());
  const std::vector<v1::JobFinding> findings = {
      FindingOf("xid", {{"node", "n2"}, {"gpu", "0"}, {"code", "79"}}),
      FindingOf("xid", {{"node", "n2"}, {"gpu", "3"}, {"code", "48"}}),
      FindingOf("xid", {{"node", "n1"}, {"code", "79"}}),
      FindingOf("lost", {{"node", "n2"}})};
  const auto request = NodeFindingsOf("j", findings, *rules);
  CHECK(request.job_id() == "j");
  REQUIRE(request.findings_size() == 3);
  CHECK(request.findings(0).node() == "n1");
  CHECK(request.findings(0).title() == "Title (code 79)");
  CHECK(request.findings(1).node() == "n2");
  CHECK(request.findings(1).rule() == "lost");
  CHECK(request.findings(1).title() == "Title");
  CHECK(request.findings(2).title() ==
        "Title (code 79, gpu 0; code 48, gpu 3)");
  CHECK(request.findings(2).severity() == v1::JobFinding::SEVERITY_ERROR);
}

TEST_CASE("job findings: an event alone is found", "[metrics]") {
  archive::v1::JobArchive archive;
  archive.mutable_job()->set_started_at_ms(kStart_ms);
  archive.mutable_job()->set_ended_at_ms(kEnd_ms);
  AddXid(kStart_ms, "n1", &archive);
  auto findings = FindIn(archive, Rules(), kNow);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule() == "xid");
  CHECK(findings[0].severity() == v1::JobFinding::SEVERITY_ERROR);
  CHECK(findings[0].samples(0).subject() == "event xid (node=n1)");

  archive::v1::FindingRating rating;
  rating.set_rule("idle");
  rating.set_muted(true);
  std::vector<archive::v1::FindingRating> ratings = {rating};
  ApplyRatings(ratings, &findings);
  CHECK_FALSE(findings[0].muted());
  ratings[0].set_rule("xid");
  ApplyRatings(ratings, &findings);
  CHECK(findings[0].muted());
}

}  // namespace
}  // namespace carme::metrics
