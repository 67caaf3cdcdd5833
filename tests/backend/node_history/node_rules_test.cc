#include "backend/node_history/rules/node_rules.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kRule[] =
    "rules:\n"
    "- name: broken\n"
    "  match:\n"
    "    sources: [site_vet]\n"
    "  count: 3\n"
    "  window: 24h\n"
    "  action: drain\n";

std::string ErrorOf(const std::string& text) {
  const auto rules = ParseNodeRules(text, "rules.yaml");
  REQUIRE_THAT(rules, StatusIs(absl::StatusCode::kInvalidArgument));
  return std::string(rules.status().message());
}

// kRule with another line.
std::string With(const std::string& old_line, const std::string& new_line) {
  std::string text = kRule;
  const size_t at = text.find(old_line);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old_line.size(), new_line);
}

TEST_CASE("node rules: what a job can cause never drains", "[backend]") {
  for (const char* source : {"job_vet", "job_end", "finding", "hook"}) {
    INFO(source);
    CHECK_THAT(
        ErrorOf(With("[site_vet]", std::string("[site_vet, ") + source + "]")),
        Catch::StartsWith("rules.yaml:2: ") && Catch::Contains(source) &&
            Catch::Contains("jobs and their users can cause"));
  }
}

TEST_CASE("node rules: an invalid file is refused with the line", "[backend]") {
  CHECK_THAT(ErrorOf(""), Catch::Contains("rules.yaml:1: the file is empty"));
  CHECK_THAT(ErrorOf("rules: 1\n"), Catch::Contains("rules.yaml:1: rules"));
  CHECK_THAT(ErrorOf("rules: []\n"), Catch::Contains("rules.yaml:1: "));
  CHECK_THAT(ErrorOf(With("count: 3", "count: 0")),
             Catch::Contains("rules.yaml:5: \"count\" is \"0\""));
  CHECK_THAT(ErrorOf(With("count: 3", "count: 99999999999")),
             Catch::Contains("rules.yaml:5: "));
  CHECK_THAT(ErrorOf(With("window: 24h", "window: 31d")),
             Catch::Contains("rules.yaml:6: "));
  CHECK_THAT(ErrorOf(With("window: 24h", "window: -1h")),
             Catch::Contains("rules.yaml:6: "));
  CHECK_THAT(ErrorOf(With("action: drain", "action: reboot")),
             Catch::Contains("rules.yaml:7: \"action\" is \"reboot\": expected "
                             "avoid, notify, revet, drain"));
  CHECK_THAT(ErrorOf(With("count: 3", "counts: 3")),
             Catch::Contains("rules.yaml:5: unknown key \"counts\""));
  CHECK_THAT(ErrorOf(With("[site_vet]", "[vet]")),
             Catch::Contains("rules.yaml:4: "));
  CHECK_THAT(ErrorOf(With("[site_vet]", "&x [site_vet]")),
             Catch::Contains("rules.yaml:4: anchors"));
  CHECK_THAT(ErrorOf(With("name: broken", "name: resume")),
             Catch::Contains("rules.yaml:2: "));
  CHECK_THAT(ErrorOf(With("name: broken", "name: \"a\\x1b[2J\"")),
             Catch::Contains("rules.yaml:2: "));
  CHECK_THAT(ErrorOf(With("count: 3", "count: 3\n  users: 4")),
             Catch::Contains("would never hold"));
  CHECK_THAT(ErrorOf(With("action: drain", "action: notify\n  reason: x")),
             Catch::Contains("applies to rules with the action drain"));
  CHECK_THAT(ErrorOf(std::string(kRule) + "- name: broken\n" +
                     std::string(kRule).substr(22)),
             Catch::Contains("a second rule \"broken\""));
}

TEST_CASE("node rules: reads every key", "[backend]") {
  const auto rules = ParseNodeRules(
      "suspect_for: 2h\n"
      "rules:\n"
      "- name: scratch\n"
      "  match:\n"
      "    sources: [prolog_vet, site_vet]\n"
      "    evaluation: fs.*\n"
      "    severity: warning\n"
      "  count: 3\n"
      "  users: 2\n"
      "  window: 7d\n"
      "  action: drain\n"
      "  reason: \"{count} times {evaluations}\"\n",
      "rules.yaml");
  REQUIRE_THAT(rules, IsOk());
  CHECK(rules->suspect_for == absl::Hours(2));
  REQUIRE(rules->rules.size() == 1);
  const NodeRule& rule = rules->rules[0];
  CHECK(rule.name == "scratch");
  CHECK(rule.sources.size() == 2);
  CHECK(rule.evaluation == "fs.*");
  CHECK(rule.severity == v1::NODE_ENTRY_SEVERITY_WARNING);
  CHECK(rule.count == 3);
  CHECK(rule.users == 2);
  CHECK(rule.window == absl::Hours(7 * 24));
  CHECK(rule.action == NodeRuleAction::kDrain);
  CHECK(rule.reason == "{count} times {evaluations}");
}

TEST_CASE("node rules: the shipped file is valid, and drains once",
          "[backend]") {
  const auto text = ReadFile(CARME_NODE_RULES, 1 << 20);
  REQUIRE_THAT(text, IsOk());
  const auto rules = ParseNodeRules(*text, "node-rules.yaml");
  REQUIRE_THAT(rules, IsOk());
  int drains = 0;
  for (const NodeRule& rule : rules->rules) {
    if (rule.action == NodeRuleAction::kDrain) ++drains;
  }
  CHECK(drains == 1);
}

}  // namespace
}  // namespace carme::backend
