#include "common/metric_rules/rule_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/metric_rules/messages.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/yaml/yaml_document.h"

namespace carme::metric_rules {
namespace {

using Kind = YamlNode::Kind;

constexpr size_t kMaxShown = 80;
constexpr size_t kMaxTitle = 100;
constexpr size_t kMaxRemedy = 600;
constexpr size_t kMaxName = 64;
constexpr size_t kMaxLabels = 8;
constexpr size_t kMaxLabelValues = 32;
constexpr size_t kMaxLabelValue = 128;
constexpr absl::Duration kMaxDuration = absl::Hours(24);

constexpr NameRule kLanguageTagRule{.characters = kAlphanumeric | "-",
                                    .min_bytes = 2,
                                    .max_bytes = 8,
                                    .first = kAlphanumeric,
                                    .last = kAlphanumeric};

template <typename Value>
struct Word {
  std::string_view text;
  Value value;
};
constexpr std::array kSeverities = {
    Word<RuleSeverity>{"info", RuleSeverity::kInfo},
    Word<RuleSeverity>{"warning", RuleSeverity::kWarning},
    Word<RuleSeverity>{"error", RuleSeverity::kError}};
constexpr std::array kSubjects = {
    Word<RuleSubject>{"job", RuleSubject::kJob},
    Word<RuleSubject>{"node", RuleSubject::kNode}};
constexpr std::array kFunctions = {
    Word<SeriesFunction>{"value", SeriesFunction::kValue},
    Word<SeriesFunction>{"rate", SeriesFunction::kRate},
    Word<SeriesFunction>{"increase", SeriesFunction::kIncrease},
    Word<SeriesFunction>{"growth", SeriesFunction::kGrowth}};
constexpr std::array kAggregates = {
    Word<GroupAggregate>{"mean", GroupAggregate::kMean},
    Word<GroupAggregate>{"min", GroupAggregate::kMin},
    Word<GroupAggregate>{"max", GroupAggregate::kMax},
    Word<GroupAggregate>{"sum", GroupAggregate::kSum},
    Word<GroupAggregate>{"spread", GroupAggregate::kSpread}};

// Whether each byte is a letter of lower case, a digit or `mark`, and the first
// one a letter.
bool IsIdentifier(std::string_view text, char mark) {
  return !text.empty() && text.size() <= kMaxName &&
         absl::ascii_islower(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [mark](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return absl::ascii_islower(byte) || absl::ascii_isdigit(byte) ||
                  c == mark;
         });
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  absl::StatusOr<RuleSet> Read(const YamlNode& root) {
    RETURN_IF_ERROR(ExpectMap(root, "the file"));
    const YamlNode* rules = nullptr;
    for (const auto& [key, value] : root.entries) {
      if (key != "rules") return Unknown(value, key, "rules");
      rules = &value;
    }
    if (rules == nullptr) return Missing(root, "rules", "the file");
    RETURN_IF_ERROR(ExpectList(*rules, "rules", kMaxRules));
    RuleSet set;
    for (const YamlNode& node : rules->items) {
      ASSIGN_OR_RETURN(Rule rule, ReadRule(node));
      const bool is_known =
          std::any_of(set.rules.begin(), set.rules.end(),
                      [&](const Rule& r) { return r.name == rule.name; });
      if (is_known) {
        return Refuse(node, rule_messages::kNameTwice, {{"name", rule.name}});
      }
      set.rules.push_back(std::move(rule));
    }
    return set;
  }

 private:
  absl::Status Refuse(const YamlNode& node, const MessageTemplate& problem,
                      std::initializer_list<MessageValue> values = {}) const {
    return YamlError(path_, node.line, FormatMessage(problem, values));
  }
  absl::Status Unknown(const YamlNode& node, const std::string& key,
                       const char* expected) const {
    return Refuse(node, rule_messages::kUnknownKey,
                  {{"key", Readable(key, kMaxShown)}, {"expected", expected}});
  }
  absl::Status Missing(const YamlNode& node, const char* key,
                       const char* subject) const {
    return Refuse(node, rule_messages::kMissingKey,
                  {{"key", key}, {"subject", subject}});
  }
  absl::Status Bad(const YamlNode& node, const char* key,
                   const std::string& expected) const {
    if (node.kind != Kind::kScalar) {
      return Refuse(node, rule_messages::kExpected,
                    {{"subject", key}, {"expected", expected}});
    }
    return Refuse(node, rule_messages::kBadValue,
                  {{"key", key},
                   {"value", Readable(node.text, kMaxShown)},
                   {"expected", expected}});
  }
  absl::Status ExpectMap(const YamlNode& node, const char* subject) const {
    if (node.kind == Kind::kMap) return absl::OkStatus();
    return Refuse(node, rule_messages::kExpected,
                  {{"subject", subject}, {"expected", "a map"}});
  }
  absl::Status ExpectList(const YamlNode& node, const char* key,
                          size_t max) const {
    if (node.kind != Kind::kList) {
      return Refuse(node, rule_messages::kExpected,
                    {{"subject", key}, {"expected", "a list"}});
    }
    if (!node.items.empty() && node.items.size() <= max) {
      return absl::OkStatus();
    }
    return Refuse(node, rule_messages::kTooMany,
                  {{"key", key}, {"count", node.items.size()}, {"max", max}});
  }

  absl::StatusOr<std::string> Text(const YamlNode& node, const char* key,
                                   size_t max) const {
    if (node.kind != Kind::kScalar || node.text.empty() ||
        node.text.size() > max || !PrintableLength(node.text)) {
      return Bad(node, key, absl::StrCat("a text of 1 to ", max, " bytes"));
    }
    return node.text;
  }
  absl::StatusOr<std::string> Identifier(const YamlNode& node, const char* key,
                                         char mark) const {
    if (node.kind != Kind::kScalar || !IsIdentifier(node.text, mark)) {
      return Bad(node, key,
                 absl::StrCat("lower-case letters, digits and \"",
                              std::string(1, mark), "\""));
    }
    return node.text;
  }
  absl::StatusOr<double> Number(const YamlNode& node, const char* key) const {
    double value = 0;
    if (node.kind != Kind::kScalar || !absl::SimpleAtod(node.text, &value) ||
        !std::isfinite(value)) {
      return Bad(node, key, "a number");
    }
    return value;
  }
  absl::StatusOr<absl::Duration> Time(const YamlNode& node, const char* key,
                                      absl::Duration min) const {
    absl::Duration value;
    if (node.kind != Kind::kScalar || !absl::ParseDuration(node.text, &value) ||
        value < min || value > kMaxDuration) {
      return Bad(node, key, "a time such as 30s, 10m or 2h, at most 24h");
    }
    return value;
  }
  template <typename Value, size_t count>
  absl::StatusOr<Value> OneOf(
      const YamlNode& node, const char* key,
      const std::array<Word<Value>, count>& words) const {
    std::string expected;
    for (const Word<Value>& word : words) {
      if (node.kind == Kind::kScalar && node.text == word.text) {
        return word.value;
      }
      absl::StrAppend(&expected, expected.empty() ? "" : ", ",
                      std::string(word.text));
    }
    return Bad(node, key, expected);
  }

  absl::StatusOr<Rule> ReadRule(const YamlNode& node) const {
    RETURN_IF_ERROR(ExpectMap(node, "a rule"));
    Rule rule;
    for (const auto& [key, value] : node.entries) {
      if (key == "name") {
        ASSIGN_OR_RETURN(rule.name, Identifier(value, "name", '-'));
      } else if (key == "title") {
        ASSIGN_OR_RETURN(rule.title, Text(value, "title", kMaxTitle));
      } else if (key == "severity") {
        ASSIGN_OR_RETURN(rule.severity, OneOf(value, "severity", kSeverities));
      } else if (key == "concerns") {
        ASSIGN_OR_RETURN(rule.concerns, OneOf(value, "concerns", kSubjects));
      } else if (key == "per") {
        ASSIGN_OR_RETURN(rule.per, ReadLabelNames(value, "per"));
      } else if (key == "within") {
        ASSIGN_OR_RETURN(rule.within, ReadLabelNames(value, "within"));
      } else if (key == "for") {
        ASSIGN_OR_RETURN(rule.hold, Time(value, "for", absl::ZeroDuration()));
      } else if (key == "max_groups") {
        ASSIGN_OR_RETURN(const double max, Number(value, "max_groups"));
        if (max < 1 || max > 1000) {
          return Bad(value, "max_groups", "a number of 1 to 1000");
        }
        rule.max_groups = static_cast<int>(max);
      } else if (key == "when") {
        RETURN_IF_ERROR(ExpectList(value, "when", kMaxConditions));
        for (const YamlNode& item : value.items) {
          // The first one makes the groups: none misses its series.
          ASSIGN_OR_RETURN(
              RuleCondition condition,
              ReadCondition(item, /*may_miss=*/!rule.when.empty()));
          rule.when.push_back(std::move(condition));
        }
      } else if (key == "remedy") {
        ASSIGN_OR_RETURN(rule.remedy, Text(value, "remedy", kMaxRemedy));
      } else if (key == "translations") {
        ASSIGN_OR_RETURN(rule.translations, ReadTranslations(value));
      } else {
        return Unknown(value, key,
                       "name, title, severity, concerns, per, within, for, "
                       "max_groups, when, remedy, translations");
      }
    }
    if (rule.name.empty()) return Missing(node, "name", "a rule");
    if (rule.title.empty()) return Missing(node, "title", "a rule");
    if (rule.when.empty()) return Missing(node, "when", "a rule");
    if (rule.remedy.empty()) return Missing(node, "remedy", "a rule");
    RETURN_IF_ERROR(CheckGroups(node, rule));
    return rule;
  }

  absl::Status CheckGroups(const YamlNode& node, const Rule& rule) const {
    const auto is_of_per = [&](const std::string& label) {
      return std::find(rule.per.begin(), rule.per.end(), label) !=
             rule.per.end();
    };
    for (const RuleCondition& condition : rule.when) {
      const bool to_median =
          condition.to_median || (!condition.if_missing.empty() &&
                                  condition.if_missing.front().to_median);
      if (to_median && rule.per.empty()) {
        return Refuse(node, rule_messages::kMedianNeedsGroups);
      }
    }
    for (const std::string& label : rule.within) {
      if (is_of_per(label)) continue;
      return Refuse(node, rule_messages::kWithinNeedsPer, {{"label", label}});
    }
    if (rule.concerns == RuleSubject::kNode && !is_of_per("node")) {
      return Refuse(node, rule_messages::kNodeNeedsPer);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> ReadLabelNames(
      const YamlNode& node, const char* key) const {
    RETURN_IF_ERROR(ExpectList(node, key, kMaxLabels));
    std::vector<std::string> labels;
    for (const YamlNode& item : node.items) {
      ASSIGN_OR_RETURN(std::string label, Identifier(item, key, '_'));
      labels.push_back(std::move(label));
    }
    return labels;
  }

  absl::StatusOr<std::map<std::string, RuleTexts>> ReadTranslations(
      const YamlNode& node) const {
    RETURN_IF_ERROR(ExpectMap(node, "translations"));
    const size_t count = node.entries.size();
    if (count == 0 || count > kMaxTranslations) {
      return Refuse(node, rule_messages::kTooMany,
                    {{"key", "translations"},
                     {"count", count},
                     {"max", kMaxTranslations}});
    }
    std::map<std::string, RuleTexts> translations;
    for (const auto& [tag, texts] : node.entries) {
      if (!kLanguageTagRule.Allows(tag)) {
        return Refuse(texts, rule_messages::kNotALanguage,
                      {{"tag", Readable(tag, kMaxShown)}});
      }
      ASSIGN_OR_RETURN(translations[tag], ReadTexts(texts, tag));
    }
    return translations;
  }

  absl::StatusOr<RuleTexts> ReadTexts(const YamlNode& node,
                                      const std::string& tag) const {
    RETURN_IF_ERROR(ExpectMap(node, "a translation"));
    RuleTexts texts;
    for (const auto& [key, value] : node.entries) {
      if (key == "title") {
        ASSIGN_OR_RETURN(texts.title, Text(value, "title", kMaxTitle));
      } else if (key == "remedy") {
        ASSIGN_OR_RETURN(texts.remedy, Text(value, "remedy", kMaxRemedy));
      } else {
        return Unknown(value, key, "title, remedy");
      }
    }
    if (texts.title.empty() && texts.remedy.empty()) {
      return Refuse(node, rule_messages::kNoTranslation, {{"tag", tag}});
    }
    return texts;
  }

  // `may_miss`: whether it may have another one for groups without series.
  absl::StatusOr<RuleCondition> ReadCondition(const YamlNode& node,
                                              bool may_miss) const {
    RETURN_IF_ERROR(ExpectMap(node, "a condition"));
    RuleCondition condition;
    for (const auto& [key, value] : node.entries) {
      if (key == "series") {
        ASSIGN_OR_RETURN(condition.series, Identifier(value, "series", '_'));
      } else if (key == "event") {
        ASSIGN_OR_RETURN(condition.event, Identifier(value, "event", '_'));
      } else if (key == "labels") {
        ASSIGN_OR_RETURN(condition.labels, ReadLabels(value, "labels"));
      } else if (key == "except") {
        ASSIGN_OR_RETURN(condition.except, ReadLabels(value, "except"));
      } else if (key == "if_missing" && may_miss) {
        ASSIGN_OR_RETURN(RuleCondition other,
                         ReadCondition(value, /*may_miss=*/false));
        if (other.series.empty()) {
          return Bad(value, "if_missing", "a condition with a series");
        }
        condition.if_missing.push_back(std::move(other));
      } else if (key == "function") {
        ASSIGN_OR_RETURN(condition.function,
                         OneOf(value, "function", kFunctions));
      } else if (key == "window") {
        ASSIGN_OR_RETURN(condition.window,
                         Time(value, "window", absl::Seconds(10)));
      } else if (key == "aggregate") {
        ASSIGN_OR_RETURN(condition.aggregate,
                         OneOf(value, "aggregate", kAggregates));
      } else if (key == "divide_by") {
        ASSIGN_OR_RETURN(condition.divide_by,
                         Identifier(value, "divide_by", '_'));
      } else if (key == "relative_to") {
        if (value.text != "median") return Bad(value, "relative_to", "median");
        condition.to_median = true;
      } else if (key == "below") {
        ASSIGN_OR_RETURN(condition.below, Number(value, "below"));
      } else if (key == "above") {
        ASSIGN_OR_RETURN(condition.above, Number(value, "above"));
      } else {
        return Unknown(value, key,
                       "series, event, labels, except, function, window, "
                       "aggregate, divide_by, relative_to, below, above, and "
                       "if_missing of the second and later ones");
      }
    }
    return Checked(node, std::move(condition));
  }

  absl::StatusOr<RuleCondition> Checked(const YamlNode& node,
                                        RuleCondition condition) const {
    if (condition.series.empty() == condition.event.empty()) {
      return Refuse(node, rule_messages::kSeriesOrEvent);
    }
    if (condition.event.empty()) {
      if (!condition.below && !condition.above) {
        return Refuse(node, rule_messages::kNoLimit);
      }
      return condition;
    }
    for (const auto& [key, value] : node.entries) {
      if (key == "event" || key == "labels" || key == "except") continue;
      return Refuse(value, rule_messages::kNotOfEvents, {{"key", key}});
    }
    return condition;
  }

  absl::StatusOr<LabelValues> ReadLabels(const YamlNode& node,
                                         const char* subject) const {
    RETURN_IF_ERROR(ExpectMap(node, subject));
    LabelValues labels;
    for (const auto& [key, value] : node.entries) {
      if (!IsIdentifier(key, '_') || labels.size() >= kMaxLabels) {
        return Unknown(value, key, "names of labels, at most 8");
      }
      std::vector<std::string>& values = labels[key];
      if (value.kind != Kind::kList) {
        ASSIGN_OR_RETURN(values.emplace_back(), LabelValue(value, key));
        continue;
      }
      RETURN_IF_ERROR(ExpectList(value, key.c_str(), kMaxLabelValues));
      for (const YamlNode& item : value.items) {
        ASSIGN_OR_RETURN(values.emplace_back(), LabelValue(item, key));
      }
    }
    return labels;
  }

  // Empty: the label is absent.
  absl::StatusOr<std::string> LabelValue(const YamlNode& node,
                                         const std::string& key) const {
    if (node.kind == Kind::kScalar && node.quoted && node.text.empty()) {
      return std::string();
    }
    return Text(node, key.c_str(), kMaxLabelValue);
  }

  const std::string& path_;
};

}  // namespace

std::string_view SeverityName(RuleSeverity severity) {
  for (const Word<RuleSeverity>& word : kSeverities) {
    if (word.value == severity) return word.text;
  }
  return "";
}

std::set<std::string> RuleSet::Series() const {
  std::set<std::string> names;
  const auto add = [&](const RuleCondition& condition) {
    if (!condition.series.empty()) names.insert(condition.series);
    if (!condition.divide_by.empty()) names.insert(condition.divide_by);
  };
  for (const Rule& rule : rules) {
    for (const RuleCondition& condition : rule.when) {
      add(condition);
      for (const RuleCondition& other : condition.if_missing) add(other);
    }
  }
  return names;
}

const Rule* RuleSet::Find(std::string_view name) const {
  for (const Rule& rule : rules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

absl::StatusOr<RuleSet> ParseRules(std::string_view text,
                                   const std::string& path) {
  ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, path));
  return Reader(path).Read(root);
}

}  // namespace carme::metric_rules
