#include "backend/node_history/rules/node_rules.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backend/node_history/rules/messages.h"
#include "common/message.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/yaml/yaml_document.h"

namespace carme::backend {
namespace {

using Kind = YamlNode::Kind;

constexpr size_t kMaxShown = 80;
constexpr size_t kMaxReason = 120;
constexpr size_t kMaxPattern = 64;
constexpr int kMaxCount = 1000;
constexpr NameRule kRuleNameRule{
    .characters = kLowercase | kDecimalDigits | "-",
    .max_bytes = 64,
    .first = kLowercase};
constexpr char kDefaultReason[] =
    "{count} failed vet runs in {window} ({evaluations})";

template <typename Value>
struct NamedValue {
  std::string_view name;
  Value value;
};
constexpr std::array kSources = {
    NamedValue<v1::NodeEntrySource>{"prolog_vet",
                                    v1::NODE_ENTRY_SOURCE_PROLOG_VET},
    NamedValue<v1::NodeEntrySource>{"site_vet", v1::NODE_ENTRY_SOURCE_SITE_VET},
    NamedValue<v1::NodeEntrySource>{"job_vet", v1::NODE_ENTRY_SOURCE_JOB_VET},
    NamedValue<v1::NodeEntrySource>{"job_end", v1::NODE_ENTRY_SOURCE_JOB_END},
    NamedValue<v1::NodeEntrySource>{"finding", v1::NODE_ENTRY_SOURCE_FINDING},
    NamedValue<v1::NodeEntrySource>{"hook", v1::NODE_ENTRY_SOURCE_HOOK}};
constexpr std::array kSeverities = {
    NamedValue<v1::NodeEntrySeverity>{"info", v1::NODE_ENTRY_SEVERITY_INFO},
    NamedValue<v1::NodeEntrySeverity>{"warning",
                                      v1::NODE_ENTRY_SEVERITY_WARNING},
    NamedValue<v1::NodeEntrySeverity>{"error", v1::NODE_ENTRY_SEVERITY_ERROR}};
constexpr std::array kActions = {
    NamedValue<NodeRuleAction>{"avoid", NodeRuleAction::kAvoid},
    NamedValue<NodeRuleAction>{"notify", NodeRuleAction::kNotify},
    NamedValue<NodeRuleAction>{"revet", NodeRuleAction::kRevet},
    NamedValue<NodeRuleAction>{"drain", NodeRuleAction::kDrain}};

class NodeRuleReader {
 public:
  explicit NodeRuleReader(const std::string& path) : path_(path) {}

  absl::StatusOr<NodeRules> Read(const YamlNode& root) const {
    if (root.kind != Kind::kMap) return NotA(root, "the file", "a map");
    NodeRules rules;
    const YamlNode* list = nullptr;
    for (const auto& [key, value] : root.entries) {
      if (key == "suspect_for") {
        ASSIGN_OR_RETURN(rules.suspect_for, Time(value, "suspect_for"));
      } else if (key == "rules") {
        list = &value;
      } else {
        return Unknown(value, key, "suspect_for, rules");
      }
    }
    if (list == nullptr) return Missing(root, "rules", "the file");
    RETURN_IF_ERROR(ExpectList(*list, "rules", kMaxNodeRules));
    for (const YamlNode& node : list->items) {
      ASSIGN_OR_RETURN(NodeRule rule, ReadRule(node));
      const bool is_known =
          std::any_of(rules.rules.begin(), rules.rules.end(),
                      [&](const NodeRule& r) { return r.name == rule.name; });
      if (is_known) {
        return Refuse(node, node_rule_messages::kNameTwice,
                      {{"name", rule.name}});
      }
      rules.rules.push_back(std::move(rule));
    }
    return rules;
  }

 private:
  absl::Status Refuse(const YamlNode& node, const MessageTemplate& problem,
                      std::initializer_list<MessageValue> values) const {
    return YamlError(path_, node.line, FormatMessage(problem, values));
  }
  absl::Status Unknown(const YamlNode& node, const std::string& key,
                       const char* expected) const {
    return Refuse(node, node_rule_messages::kUnknownKey,
                  {{"key", Readable(key, kMaxShown)}, {"expected", expected}});
  }
  absl::Status Missing(const YamlNode& node, const char* key,
                       const char* subject) const {
    return Refuse(node, node_rule_messages::kMissingKey,
                  {{"key", key}, {"subject", subject}});
  }
  absl::Status NotA(const YamlNode& node, const char* subject,
                    const std::string& expected) const {
    return Refuse(node, node_rule_messages::kNotA,
                  {{"subject", subject}, {"expected", expected}});
  }
  absl::Status Bad(const YamlNode& node, const char* key,
                   const std::string& expected) const {
    if (node.kind != Kind::kScalar) return NotA(node, key, expected);
    return Refuse(node, node_rule_messages::kBadValue,
                  {{"key", key},
                   {"value", Readable(node.text, kMaxShown)},
                   {"expected", expected}});
  }
  absl::Status ExpectList(const YamlNode& node, const char* key,
                          size_t max) const {
    if (node.kind != Kind::kList) return NotA(node, key, "a list");
    if (!node.items.empty() && node.items.size() <= max) {
      return absl::OkStatus();
    }
    return Refuse(node, node_rule_messages::kTooMany,
                  {{"key", key}, {"count", node.items.size()}, {"max", max}});
  }

  absl::StatusOr<std::string> Text(const YamlNode& node, const char* key,
                                   size_t max) const {
    if (node.kind != Kind::kScalar || node.text.empty() ||
        node.text.size() > max || !PrintableLength(node.text)) {
      return Bad(node, key,
                 absl::StrCat("a text of 1 to ", max, " printable bytes"));
    }
    return node.text;
  }
  absl::StatusOr<absl::Duration> Time(const YamlNode& node,
                                      const char* key) const {
    absl::Duration value;
    std::string text = node.text;
    int days = 0;
    // absl knows no days.
    if (text.ends_with("d") &&
        absl::SimpleAtoi(text.substr(0, text.size() - 1), &days) &&
        days <= 30) {
      text = absl::StrCat(days * 24, "h");
    }
    if (node.kind != Kind::kScalar || !absl::ParseDuration(text, &value) ||
        value < absl::Minutes(1) || value > kMaxNodeRuleWindow) {
      return Bad(node, key, "a time such as 30m, 24h or 7d, 1m to 30d");
    }
    return value;
  }
  absl::StatusOr<int> Count(const YamlNode& node, const char* key) const {
    int value = 0;
    if (node.kind != Kind::kScalar || !absl::SimpleAtoi(node.text, &value) ||
        value < 1 || value > kMaxCount) {
      return Bad(node, key, absl::StrCat("a number of 1 to ", kMaxCount));
    }
    return value;
  }
  template <typename Value, size_t size>
  absl::StatusOr<Value> OneOf(
      const YamlNode& node, const char* key,
      const std::array<NamedValue<Value>, size>& values) const {
    std::string expected;
    for (const NamedValue<Value>& known : values) {
      if (node.kind == Kind::kScalar && node.text == known.name) {
        return known.value;
      }
      absl::StrAppend(&expected, expected.empty() ? "" : ", ",
                      std::string(known.name));
    }
    return Bad(node, key, expected);
  }

  absl::StatusOr<NodeRule> ReadRule(const YamlNode& node) const {
    if (node.kind != Kind::kMap) return NotA(node, "a rule", "a map");
    NodeRule rule;
    bool has_action = false;
    bool has_window = false;
    for (const auto& [key, value] : node.entries) {
      if (key == "name") {
        if (value.kind != Kind::kScalar || value.text == kResumeEntry ||
            !kRuleNameRule.Allows(value.text)) {
          return Bad(value, "name",
                     "lower-case letters, digits and \"-\", not \"resume\"");
        }
        rule.name = value.text;
      } else if (key == "match") {
        RETURN_IF_ERROR(ReadMatch(value, &rule));
      } else if (key == "count") {
        ASSIGN_OR_RETURN(rule.count, Count(value, "count"));
      } else if (key == "users") {
        ASSIGN_OR_RETURN(rule.users, Count(value, "users"));
      } else if (key == "window") {
        ASSIGN_OR_RETURN(rule.window, Time(value, "window"));
        has_window = true;
      } else if (key == "action") {
        ASSIGN_OR_RETURN(rule.action, OneOf(value, "action", kActions));
        has_action = true;
      } else if (key == "reason") {
        ASSIGN_OR_RETURN(rule.reason, Text(value, "reason", kMaxReason));
      } else {
        return Unknown(value, key,
                       "name, match, count, users, window, action, reason");
      }
    }
    if (rule.name.empty()) return Missing(node, "name", "a rule");
    if (rule.sources.empty()) return Missing(node, "match", "a rule");
    if (!has_window) return Missing(node, "window", "a rule");
    if (!has_action) return Missing(node, "action", "a rule");
    return Checked(node, std::move(rule));
  }

  absl::Status ReadMatch(const YamlNode& node, NodeRule* rule) const {
    if (node.kind != Kind::kMap) return NotA(node, "match", "a map");
    for (const auto& [key, value] : node.entries) {
      if (key == "sources") {
        RETURN_IF_ERROR(ExpectList(value, "sources", kSources.size()));
        for (const YamlNode& item : value.items) {
          ASSIGN_OR_RETURN(const v1::NodeEntrySource source,
                           OneOf(item, "sources", kSources));
          rule->sources.insert(source);
        }
      } else if (key == "evaluation") {
        ASSIGN_OR_RETURN(rule->evaluation,
                         Text(value, "evaluation", kMaxPattern));
      } else if (key == "severity") {
        ASSIGN_OR_RETURN(rule->severity, OneOf(value, "severity", kSeverities));
      } else {
        return Unknown(value, key, "sources, evaluation, severity");
      }
    }
    if (rule->sources.empty()) return Missing(node, "sources", "match");
    return absl::OkStatus();
  }

  absl::StatusOr<NodeRule> Checked(const YamlNode& node, NodeRule rule) const {
    if (rule.users > rule.count) {
      return Refuse(node, node_rule_messages::kMoreUsersThanRuns,
                    {{"users", rule.users}, {"count", rule.count}});
    }
    if (rule.action != NodeRuleAction::kDrain) {
      if (!rule.reason.empty()) {
        return Refuse(node, node_rule_messages::kReasonOfDrainOnly, {});
      }
      return rule;
    }
    if (rule.reason.empty()) rule.reason = kDefaultReason;
    for (const v1::NodeEntrySource source : rule.sources) {
      if (IsSiteRun(source)) continue;
      return Refuse(node, node_rule_messages::kDrainNotBySite,
                    {{"source", NodeEntrySourceName(source)}});
    }
    return rule;
  }

  const std::string& path_;
};

}  // namespace

std::string_view NodeEntrySourceName(v1::NodeEntrySource source) {
  for (const auto& known : kSources) {
    if (known.value == source) return known.name;
  }
  return "rule";
}

std::string_view NodeRuleActionName(NodeRuleAction action) {
  for (const auto& known : kActions) {
    if (known.value == action) return known.name;
  }
  return "";
}

absl::StatusOr<NodeRules> ParseNodeRules(std::string_view text,
                                         const std::string& path) {
  ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, path));
  return NodeRuleReader(path).Read(root);
}

}  // namespace carme::backend
