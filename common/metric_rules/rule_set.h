// Rules about the samples of a job, which are data: a YAML file. A rule finds
// times in which all of its conditions hold, and says what to do about it.
// docs/admin/metric-rules.md describes the file.
#ifndef CARME_COMMON_METRIC_RULES_RULE_SET_H_
#define CARME_COMMON_METRIC_RULES_RULE_SET_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::metric_rules {

enum class RuleSeverity { kInfo, kWarning, kError };

// "info", "warning", "error".
std::string_view SeverityName(RuleSeverity severity);

// What causes what a rule finds, and hence whose history it is part of.
enum class RuleSubject {
  kJob,   // the program
  kNode,  // the hardware: the history of the node, too
};

// What a condition compares, of each series at each time.
enum class SeriesFunction {
  kValue,     // the mean of the samples since the time before
  kRate,      // the increase of a counter a second, over the window
  kIncrease,  // of the value over the window
  kGrowth,    // the increase divided by the value at the window's begin
};

// Makes one value of the series of a group.
enum class GroupAggregate {
  kMean,
  kMin,
  kMax,
  kSum,
  kSpread,  // (max - min) / max; needs two series
};

// Values of labels by their names. "" among them: the label is absent.
using LabelValues = std::map<std::string, std::vector<std::string>>;

// Holds at a time if its value is beyond its limit, or if an event happened.
// A value that is absent is within the limits.
struct RuleCondition {
  std::string series;  // a name; empty: an event
  std::string event;   // a kind of NodeEvent
  LabelValues labels;  // series or events have one of the values of each
  LabelValues except;  // and none of these
  SeriesFunction function = SeriesFunction::kValue;
  absl::Duration window = absl::Minutes(1);  // of the function
  GroupAggregate aggregate = GroupAggregate::kMean;
  std::string divide_by;   // a name; its value, aggregated; empty: nothing
  bool to_median = false;  // divided by the median of groups, at least 3
  std::optional<double> below;
  std::optional<double> above;
  // At most one, which has none itself: of groups without any of the series.
  std::vector<RuleCondition> if_missing;
};

// The texts of a rule in a further language; empty: there is none.
struct RuleTexts {
  std::string title;
  std::string remedy;
};

struct Rule {
  std::string name;   // [a-z][a-z0-9-]*
  std::string title;  // for people
  RuleSeverity severity = RuleSeverity::kWarning;
  RuleSubject concerns = RuleSubject::kJob;
  // Labels, or "node": each combination of values is a group of its own.
  std::vector<std::string> per;
  // Of `per`: the median and `max_groups` are of groups that are equal in
  // these.
  std::vector<std::string> within;
  absl::Duration hold;            // the shortest time that is found
  std::optional<int> max_groups;  // more groups at the same time: none is found
  std::vector<RuleCondition> when;  // at least one
  std::string remedy;
  std::map<std::string, RuleTexts> translations;  // by language: "de"
};

struct RuleSet {
  std::vector<Rule> rules;
  // The names of series that the rules read.
  std::set<std::string> Series() const;
  // nullptr: there is none.
  const Rule* Find(std::string_view name) const;
};

inline constexpr size_t kMaxRules = 100;
inline constexpr size_t kMaxConditions = 8;
inline constexpr size_t kMaxTranslations = 8;  // of a rule

// `path` is for messages: "PATH:LINE: problem". INVALID_ARGUMENT.
absl::StatusOr<RuleSet> ParseRules(std::string_view text,
                                   const std::string& path);

}  // namespace carme::metric_rules

#endif  // CARME_COMMON_METRIC_RULES_RULE_SET_H_
