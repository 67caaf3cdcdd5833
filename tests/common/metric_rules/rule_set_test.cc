#include "common/metric_rules/rule_set.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::metric_rules {
namespace {

// A file with one rule that has these lines beside its name.
std::string RuleText(const std::string& lines) {
  return "rules:\n- name: a\n  title: A\n  remedy: R\n" + lines;
}

std::string Error(const std::string& text) {
  const auto parsed = ParseRules(text, "r.yaml");
  return parsed.ok() ? "accepted" : std::string(parsed.status().message());
}

TEST_CASE("metric rules: an unknown key is refused with its line", "[rules]") {
  CHECK(Error("rulez: []\n") ==
        "r.yaml:1: unknown key \"rulez\": expected rules");
  CHECK(Error(RuleText("  when: [{event: xid}]\n  color: red\n"))
            .starts_with("r.yaml:6: unknown key \"color\": expected name, "));
  CHECK(Error(RuleText("  when:\n  - event: xid\n  - series: s\n    over: 1\n"))
            .starts_with("r.yaml:8: unknown key \"over\": expected series, "));
}

TEST_CASE("metric rules: a rule that is incomplete is refused", "[rules]") {
  CHECK(Error("{}\n") == "r.yaml:1: key \"rules\" of the file is missing");
  CHECK(Error("rules: []\n") ==
        "r.yaml:1: \"rules\" has 0 entries: expected 1 to 100");
  CHECK(Error(RuleText("")) == "r.yaml:2: key \"when\" of a rule is missing");
  CHECK(Error("rules:\n- name: a\n  title: A\n  when: [{event: xid}]\n") ==
        "r.yaml:2: key \"remedy\" of a rule is missing");
  CHECK(Error(RuleText("  when: []\n")) ==
        "r.yaml:5: \"when\" has 0 entries: expected 1 to 8");
}

TEST_CASE("metric rules: a condition that holds always or never is refused",
          "[rules]") {
  CHECK(Error(RuleText("  when: [{series: s}]\n")) ==
        "r.yaml:5: a condition has neither \"below\" nor \"above\": it would "
        "always hold");
  CHECK(Error(RuleText("  when: [{above: 1}]\n")) ==
        "r.yaml:5: a condition: expected either \"series\" or \"event\"");
  CHECK(Error(RuleText("  when: [{event: xid, above: 1}]\n")) ==
        "r.yaml:5: \"above\" does not apply to events");
  CHECK(
      Error(RuleText("  when: [{series: s, below: 1, relative_to: median}]\n"))
          .ends_with("\"relative_to\" compares groups, but \"per\" is "
                     "missing"));
}

TEST_CASE("metric rules: a value of another kind is refused", "[rules]") {
  const auto with = [](const std::string& value) {
    return Error(RuleText("  when: [{series: s, " + value + "}]\n"));
  };
  CHECK(with("above: much") ==
        "r.yaml:5: \"above\" is \"much\": expected a number");
  CHECK(with("above: nan") ==
        "r.yaml:5: \"above\" is \"nan\": expected a number");
  CHECK(with("above: [1]") == "r.yaml:5: above: expected a number");
  CHECK(with("above: 1, window: 48h") ==
        "r.yaml:5: \"window\" is \"48h\": expected a time such as 30s, 10m or "
        "2h, at most 24h");
  CHECK(with("above: 1, function: sum") ==
        "r.yaml:5: \"function\" is \"sum\": expected value, rate, increase, "
        "growth");
  CHECK(with("above: 1, divide_by: 'S}'")
            .ends_with("expected lower-case letters, digits and \"_\""));
  CHECK(Error(RuleText("  when: [{event: xid}]\n  for: -1s\n"))
            .starts_with("r.yaml:6: \"for\" is \"-1s\""));
}

TEST_CASE("metric rules: labels are refused that cannot be matched",
          "[rules]") {
  const auto with = [](const std::string& labels) {
    return Error(RuleText("  when: [{event: xid, " + labels + "}]\n"));
  };
  CHECK(with("except: [13]") == "r.yaml:5: except: expected a map");
  CHECK(with("except: {Code: '13'}")
            .ends_with("expected names of labels, at most 8"));
  CHECK(with("labels: {code: []}") ==
        "r.yaml:5: \"code\" has 0 entries: expected 1 to 32");
  CHECK(with("labels: {code: [['13']]}")
            .ends_with("expected a text of 1 to 128 bytes"));
  // Nothing is not the same as an empty text, which is an absent label.
  CHECK(
      with("labels: {code: }").ends_with("expected a text of 1 to 128 bytes"));
  CHECK(with("labels: {code: ''}") == "accepted");
}

TEST_CASE("metric rules: groups are refused that do not fit", "[rules]") {
  const auto with = [](const std::string& lines) {
    return Error(RuleText("  when: [{event: xid}]\n  " + lines + "\n"));
  };
  CHECK(with("within: step") == "r.yaml:6: within: expected a list");
  CHECK(with("within: [step]") ==
        "r.yaml:2: \"within\" has \"step\", which \"per\" does not have");
  CHECK(with("per: [step, rank]\n  within: [step]") == "accepted");
  CHECK(with("concerns: user") ==
        "r.yaml:6: \"concerns\" is \"user\": expected job, node");
  CHECK(with("concerns: node") ==
        "r.yaml:2: a rule that concerns nodes needs \"node\" in \"per\"");
  CHECK(with("concerns: node\n  per: [node]") == "accepted");
}

TEST_CASE(
    "metric rules: a condition for missing series is refused where it "
    "cannot be",
    "[rules]") {
  const auto with = [](const std::string& conditions) {
    return Error(RuleText("  when:\n" + conditions));
  };
  const std::string first = "  - {series: s, above: 1}\n";
  const std::string missing = "{series: t, above: 1}";
  CHECK(with("  - {series: s, above: 1, if_missing: " + missing + "}\n")
            .starts_with("r.yaml:6: unknown key \"if_missing\""));
  CHECK(with(first + "  - {event: xid, if_missing: " + missing + "}\n") ==
        "r.yaml:7: \"if_missing\" does not apply to events");
  CHECK(with(first + "  - {series: u, above: 1, if_missing: {event: xid}}\n") ==
        "r.yaml:7: if_missing: expected a condition with a series");
  CHECK(with(first +
             "  - {series: u, above: 1, if_missing: {series: t, above: 1, "
             "if_missing: " +
             missing + "}}\n")
            .starts_with("r.yaml:7: unknown key \"if_missing\""));
  CHECK(with(first + "  - {series: u, above: 1, if_missing: {series: t}}\n")
            .ends_with("it would always hold"));
  CHECK(with(first + "  - {series: u, above: 1, if_missing: " + missing +
             "}\n") == "accepted");
}

TEST_CASE("metric rules: hostile YAML is refused with its line", "[rules]") {
  CHECK(Error("rules: &r\n- *r\n").starts_with("r.yaml:1: anchors"));
  CHECK(Error(RuleText("  when: [{event: xid}]\n") +
              "- name: a\n  title: B\n  remedy: R\n  when: [{event: oom}]\n") ==
        "r.yaml:6: a second rule \"a\"");
  CHECK(Error(RuleText("  when: [{event: xid}]\n  title: B\n")) ==
        "r.yaml:6: \"title\" is set twice");
  std::string deep = "rules: ";
  for (int i = 0; i < 1000; ++i) deep += "[";
  CHECK(Error(deep).starts_with("r.yaml:1: lists and maps are nested"));
  CHECK(Error("rules:\n- name: a\n  title: \"A\\u202e\"\n")
            .starts_with("r.yaml:3: \"title\" is "));
}

TEST_CASE("metric rules: a malformed translation is refused with its line",
          "[rules]") {
  const auto with = [](const std::string& lines) {
    return Error(RuleText("  when: [{event: xid}]\n  translations:" + lines));
  };
  CHECK(with(" {}\n") ==
        "r.yaml:6: \"translations\" has 0 entries: expected 1 to 8");
  CHECK(with(" [de]\n") == "r.yaml:6: translations: expected a map");
  std::string nine;
  for (int i = 1; i <= 9; ++i) {
    nine += "\n    a" + std::to_string(i) + ": {title: T}";
  }
  CHECK(with(nine + "\n")
            .ends_with("\"translations\" has 9 entries: expected 1 to 8"));
  for (const char* tag :
       {"d", "de_DE", "de-DE-1901", "-de", "de-", "'d e'", "dé"}) {
    CAPTURE(tag);
    const std::string error =
        with("\n    " + std::string(tag) + ": {title: T}\n");
    CHECK(error.starts_with("r.yaml:7: language \""));
    CHECK(error.find("expected 2 to 8 letters") != std::string::npos);
  }
  CHECK(with("\n    de: T\n") == "r.yaml:7: a translation: expected a map");
  CHECK(with("\n    de:\n      title: T\n      color: rot\n") ==
        "r.yaml:9: unknown key \"color\": expected title, remedy");
  CHECK(with("\n    de: {}\n") ==
        "r.yaml:7: translation \"de\" has neither \"title\" nor \"remedy\"");
  CHECK(with("\n    de: {title: ''}\n") ==
        "r.yaml:7: \"title\" is \"\": expected a text of 1 to 100 bytes");
  CHECK(with("\n    de: {title: " + std::string(101, 'a') + "}\n")
            .ends_with("expected a text of 1 to 100 bytes"));
  CHECK(with("\n    de: {remedy: " + std::string(601, 'a') + "}\n")
            .ends_with("expected a text of 1 to 600 bytes"));
  CHECK(with("\n    de: {title: \"A\\u202e\"}\n")
            .starts_with("r.yaml:7: \"title\" is "));
  CHECK(with("\n    de: {title: T}\n    de: {title: U}\n") ==
        "r.yaml:8: \"de\" is set twice");
}

TEST_CASE("metric rules: a rule has texts in further languages", "[rules]") {
  const auto set = ParseRules(
      RuleText("  when: [{event: xid}]\n  translations:\n"
               "    de: {title: Ä, remedy: Ö}\n    pt-BR: {title: B}\n"),
      "r.yaml");
  REQUIRE_THAT(set, IsOk());
  const auto& translations = set->rules[0].translations;
  REQUIRE(translations.size() == 2);
  CHECK(translations.at("de").title == "Ä");
  CHECK(translations.at("de").remedy == "Ö");
  CHECK(translations.at("pt-BR").title == "B");
  CHECK(translations.at("pt-BR").remedy.empty());
}

TEST_CASE("metric rules: a rule is read with its defaults", "[rules]") {
  const auto set = ParseRules(
      RuleText("  severity: error\n  per: [node, gpu]\n  for: 90s\n"
               "  max_groups: 2\n  when:\n  - {series: s, below: 1e3}\n"
               "  - {series: t_total, function: rate, window: 5m, aggregate: "
               "max, divide_by: u, labels: {gpu: '0'}, above: -1}\n"),
      "r.yaml");
  REQUIRE_THAT(set, IsOk());
  const Rule& rule = set->rules[0];
  CHECK(rule.severity == RuleSeverity::kError);
  CHECK(rule.per == std::vector<std::string>{"node", "gpu"});
  CHECK(rule.hold == absl::Seconds(90));
  CHECK(rule.max_groups == 2);
  CHECK(rule.when[0].below == 1000);
  CHECK_FALSE(rule.when[0].above);
  CHECK(rule.when[0].aggregate == GroupAggregate::kMean);
  CHECK(rule.when[1].function == SeriesFunction::kRate);
  CHECK(rule.when[1].window == absl::Minutes(5));
  CHECK(rule.when[1].labels.at("gpu") == std::vector<std::string>{"0"});
  CHECK(rule.concerns == RuleSubject::kJob);
  CHECK(rule.within.empty());
  CHECK(set->Series() == std::set<std::string>{"s", "t_total", "u"});
  CHECK(set->Find("a") == &rule);
  CHECK(set->Find("b") == nullptr);
}

TEST_CASE("metric rules: a rule about nodes is read with its labels",
          "[rules]") {
  const auto set = ParseRules(
      RuleText(
          "  concerns: node\n  per: [node, step]\n  within: [step]\n"
          "  when:\n"
          "  - {event: xid, labels: {step: \"\"}, except: {code: ['13', "
          "'31']}}\n"
          "  - {series: s, above: 1, if_missing: {series: t, above: 2}}\n"),
      "r.yaml");
  REQUIRE_THAT(set, IsOk());
  const Rule& rule = set->rules[0];
  CHECK(rule.concerns == RuleSubject::kNode);
  CHECK(rule.within == std::vector<std::string>{"step"});
  CHECK(rule.when[0].labels.at("step") == std::vector<std::string>{""});
  CHECK(rule.when[0].except.at("code") == std::vector<std::string>{"13", "31"});
  REQUIRE(rule.when[1].if_missing.size() == 1);
  CHECK(rule.when[1].if_missing[0].above == 2);
  CHECK(set->Series() == std::set<std::string>{"s", "t"});
}

}  // namespace
}  // namespace carme::metric_rules
