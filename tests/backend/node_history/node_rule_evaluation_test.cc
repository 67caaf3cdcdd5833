#include "backend/node_history/rules/node_rule_evaluation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

NodeRule RuleOf(NodeRuleAction action, int count = 3) {
  return {.name = "broken",
          .sources = {v1::NODE_ENTRY_SOURCE_SITE_VET},
          .count = count,
          .window = absl::Hours(24),
          .action = action,
          .reason = action == NodeRuleAction::kDrain
                        ? "{count} failed vet runs in {window} ({evaluations})"
                        : ""};
}

class NodeEntries {
 public:
  NodeEntry& Add(absl::Duration ago, const std::string& run,
                 const std::string& name = "fs.write") {
    entries_.push_back({.sequence = static_cast<int64_t>(entries_.size() + 1),
                        .node = "n1",
                        .at = kNow - ago,
                        .source = v1::NODE_ENTRY_SOURCE_SITE_VET,
                        .name = name,
                        .run = run});
    return entries_.back();
  }
  NodeVerdict Evaluate(const NodeRule& rule) const {
    NodeRules rules;
    rules.rules = {rule};
    // The due rules point into the set, which is gone: not used here.
    return EvaluateNodeRules(rules, entries_, kNow);
  }
  std::vector<NodeEntry> entries_;
};

TEST_CASE(
    "node rule evaluation: a user's runs never drain, whatever the rule "
    "says",
    "[backend]") {
  NodeEntries node;
  for (const char* run : {"1", "2", "3", "4"}) {
    node.Add(absl::Minutes(1), run).source = v1::NODE_ENTRY_SOURCE_JOB_VET;
  }
  NodeRule rule = RuleOf(NodeRuleAction::kDrain);
  rule.sources = {v1::NODE_ENTRY_SOURCE_JOB_VET,
                  v1::NODE_ENTRY_SOURCE_SITE_VET};
  const NodeVerdict verdict = node.Evaluate(rule);
  CHECK(verdict.due.empty());
  CHECK(verdict.state == v1::NODE_RULE_STATE_SUSPECT);
}

TEST_CASE("node rule evaluation: counts runs, not evaluations", "[backend]") {
  NodeEntries node;
  for (const char* name : {"a", "b", "c", "d"}) {
    node.Add(absl::Minutes(1), "1", name);
  }
  CHECK(node.Evaluate(RuleOf(NodeRuleAction::kDrain)).due.empty());
  node.Add(absl::Minutes(1), "2", "a");
  CHECK(node.Evaluate(RuleOf(NodeRuleAction::kDrain)).due.empty());
  node.Add(absl::Minutes(1), "3", "a");
  const NodeVerdict verdict = node.Evaluate(RuleOf(NodeRuleAction::kDrain));
  REQUIRE(verdict.due.size() == 1);
  CHECK(verdict.due[0].text == "3 failed vet runs in 24 h (a, b, c, …)");
  CHECK(verdict.due[0].evaluations.size() == 4);
}

TEST_CASE("node rule evaluation: the window ends where it ends", "[backend]") {
  NodeEntries node;
  node.Add(absl::Hours(24), "1");
  node.Add(absl::Hours(1), "2");
  node.Add(absl::Hours(1), "3");
  CHECK(node.Evaluate(RuleOf(NodeRuleAction::kNotify)).due.empty());
  node.entries_[0].at += absl::Microseconds(1);
  CHECK(node.Evaluate(RuleOf(NodeRuleAction::kNotify)).due.size() == 1);
}

TEST_CASE("node rule evaluation: entries of a clock that jumped do not count",
          "[backend]") {
  NodeEntries node;
  for (const char* run : {"1", "2", "3"}) {
    node.Add(-absl::Hours(24 * 365), run);
  }
  const NodeVerdict ahead = node.Evaluate(RuleOf(NodeRuleAction::kNotify));
  CHECK(ahead.due.empty());
  CHECK(ahead.state == v1::NODE_RULE_STATE_HEALTHY);
  // A clock that is corrected by some seconds loses none.
  for (NodeEntry& entry : node.entries_) entry.at = kNow + absl::Seconds(5);
  CHECK(node.Evaluate(RuleOf(NodeRuleAction::kNotify)).due.size() == 1);
}

TEST_CASE("node rule evaluation: what an action counted counts no more",
          "[backend]") {
  NodeEntries node;
  for (const char* run : {"1", "2", "3"}) node.Add(absl::Hours(1), run);
  node.Add(absl::Hours(1), "after:3", "broken").source =
      v1::NODE_ENTRY_SOURCE_RULE;
  CHECK(node.Evaluate(RuleOf(NodeRuleAction::kNotify)).due.empty());
  for (const char* run : {"5", "6"}) node.Add(absl::Hours(1), run);
  CHECK(node.Evaluate(RuleOf(NodeRuleAction::kNotify)).due.empty());
  node.Add(absl::Hours(1), "7");
  CHECK(node.Evaluate(RuleOf(NodeRuleAction::kNotify)).due.size() == 1);
}

TEST_CASE("node rule evaluation: nothing before the node was resumed counts",
          "[backend]") {
  NodeEntries node;
  for (const char* run : {"1", "2", "3"}) node.Add(absl::Hours(1), run);
  node.Add(absl::Minutes(30), "resume:1", kResumeEntry).source =
      v1::NODE_ENTRY_SOURCE_RULE;
  const NodeVerdict verdict = node.Evaluate(RuleOf(NodeRuleAction::kAvoid, 1));
  CHECK(verdict.due.empty());
  CHECK(verdict.state == v1::NODE_RULE_STATE_HEALTHY);
}

TEST_CASE("node rule evaluation: a node is avoided as long as its rule holds",
          "[backend]") {
  NodeEntries node;
  node.Add(absl::Hours(2), "1");
  const NodeRule rule = RuleOf(NodeRuleAction::kAvoid, 1);
  NodeVerdict verdict = node.Evaluate(rule);
  CHECK(verdict.state == v1::NODE_RULE_STATE_AVOIDED);
  CHECK(verdict.due.size() == 1);
  // It is said once.
  node.Add(absl::Hours(1), "after:1", "broken").source =
      v1::NODE_ENTRY_SOURCE_RULE;
  verdict = node.Evaluate(rule);
  CHECK(verdict.state == v1::NODE_RULE_STATE_AVOIDED);
  CHECK(verdict.due.empty());
  node.entries_[0].at = kNow - absl::Hours(25);
  CHECK(node.Evaluate(rule).state == v1::NODE_RULE_STATE_HEALTHY);
}

TEST_CASE("node rule evaluation: one user alone does not make two",
          "[backend]") {
  NodeEntries node;
  NodeRule rule = RuleOf(NodeRuleAction::kAvoid, 2);
  rule.users = 2;
  for (const char* run : {"1", "2", "3"}) {
    node.Add(absl::Hours(1), run).user = "ada";
  }
  CHECK(node.Evaluate(rule).state == v1::NODE_RULE_STATE_SUSPECT);
  node.Add(absl::Hours(1), "4").user = "bob";
  CHECK(node.Evaluate(rule).state == v1::NODE_RULE_STATE_AVOIDED);
}

TEST_CASE("node rule evaluation: matches names and severity", "[backend]") {
  NodeEntries node;
  node.Add(absl::Hours(1), "1", "memory");
  node.Add(absl::Hours(1), "2").severity = v1::NODE_ENTRY_SEVERITY_WARNING;
  NodeRule rule = RuleOf(NodeRuleAction::kNotify, 1);
  rule.evaluation = "fs.*";
  CHECK(node.Evaluate(rule).due.empty());
  rule.severity = v1::NODE_ENTRY_SEVERITY_WARNING;
  CHECK(node.Evaluate(rule).due.size() == 1);
}

TEST_CASE("node rule evaluation: patterns", "[backend]") {
  CHECK(MatchesGlob("*", ""));
  CHECK(MatchesGlob("fs.*", "fs.write"));
  CHECK(MatchesGlob("*write*", "fs.write"));
  CHECK(MatchesGlob("f?.write", "fs.write"));
  CHECK_FALSE(MatchesGlob("fs.", "fs.write"));
  CHECK_FALSE(MatchesGlob("?", ""));
  CHECK_FALSE(MatchesGlob("", "a"));
  // Not exponential.
  CHECK_FALSE(MatchesGlob("*a*a*a*a*a*a*a*a*b", std::string(10'000, 'a')));
}

}  // namespace
}  // namespace carme::backend
