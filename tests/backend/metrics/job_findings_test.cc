#include "backend/metrics/findings/job_findings.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace carme::metrics {
namespace {

constexpr int64_t kStart_ms = 1'800'000'000'000;

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
    const auto findings = FindIn(Idle(step_s, every), rules);
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
  const auto findings = FindIn(Idle(10, 1), rules);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].title() == "Idle");
  REQUIRE(findings[0].translations_size() == 2);
  CHECK(findings[0].translations().at("de").title() == "Untätig");
  CHECK(findings[0].translations().at("de").remedy() == "Beenden.");
  CHECK(findings[0].translations().at("fr").title() == "Inactif");
}

TEST_CASE("job findings: an event alone is found", "[metrics]") {
  archive::v1::JobArchive archive;
  v1::NodeEvent* event = archive.add_events();
  event->set_kind("xid");
  event->set_time_ms(kStart_ms);
  auto findings = FindIn(archive, Rules());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule() == "xid");
  CHECK(findings[0].severity() == v1::JobFinding::SEVERITY_ERROR);

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
