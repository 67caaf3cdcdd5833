#include "common/metric_rules/rule_evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"

namespace carme::metric_rules {
namespace {

using Labels = std::map<std::string, std::string>;
using Values = std::vector<double>;  // one for each step; NaN: absent

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMinMedianGroups = 3;
constexpr size_t kMaxGroups = 20'000;

// The steps: the time of step i is that of its end.
struct Steps {
  int64_t from_ms = 0;
  int64_t step_ms = 1;
  size_t count = 0;

  // The step in which a time is; nullopt: outside of the job.
  std::optional<size_t> Find(int64_t time_ms) const {
    if (time_ms < from_ms) return std::nullopt;
    const auto place = static_cast<size_t>((time_ms - from_ms) / step_ms);
    if (place >= count) return std::nullopt;
    return place;
  }
  int64_t Begin(size_t step) const {
    return from_ms + static_cast<int64_t>(step) * step_ms;
  }
};

Steps StepsOf(const JobSamples& samples) {
  Steps steps{.from_ms = samples.from_ms,
              .step_ms = std::max<int64_t>(samples.step_s, 1) * 1000};
  const int64_t length_ms =
      std::max<int64_t>(samples.to_ms - samples.from_ms, 0);
  while (length_ms / steps.step_ms >= kMaxSteps) steps.step_ms *= 2;
  steps.count = static_cast<size_t>(length_ms / steps.step_ms) + 1;
  return steps;
}

// The mean or, for counters, the last sample of each step.
Values Sampled(const SeriesSamples& series, const Steps& steps, bool last) {
  Values values(steps.count, kNaN);
  std::vector<int> counts(steps.count, 0);
  for (const auto& [time_ms, value] : series.points) {
    const auto step = steps.Find(time_ms);
    if (!step || !std::isfinite(value)) continue;
    if (last || counts[*step] == 0) {
      values[*step] = value;
    } else {
      values[*step] += value;
    }
    ++counts[*step];
  }
  if (last) return values;
  for (size_t i = 0; i < values.size(); ++i) {
    if (counts[i] > 1) values[i] /= counts[i];
  }
  return values;
}

Values Applied(const SeriesSamples& series, const RuleCondition& condition,
               const Steps& steps) {
  const SeriesFunction function = condition.function;
  Values values = Sampled(series, steps,
                          function == SeriesFunction::kRate ||
                              function == SeriesFunction::kIncrease);
  if (function == SeriesFunction::kValue) return values;
  const int64_t window_ms = absl::ToInt64Milliseconds(condition.window);
  const auto distance = static_cast<size_t>(
      std::max<int64_t>((window_ms + steps.step_ms - 1) / steps.step_ms, 1));
  const double window_s =
      static_cast<double>(distance) * static_cast<double>(steps.step_ms) / 1000;
  Values result(values.size(), kNaN);
  for (size_t i = distance; i < values.size(); ++i) {
    const double before = values[i - distance];
    const double increase = values[i] - before;
    if (function == SeriesFunction::kIncrease) {
      result[i] = increase;
    } else if (function == SeriesFunction::kRate) {
      // A counter that was reset has no rate.
      if (increase >= 0) result[i] = increase / window_s;
    } else if (before > 0) {
      result[i] = increase / before;
    }
  }
  return result;
}

// One value of those that are there.
double Aggregate(GroupAggregate how, const std::vector<const Values*>& all,
                 size_t step) {
  double sum = 0, min = 0, max = 0;
  size_t count = 0;
  for (const Values* const one : all) {
    const double value = (*one)[step];
    if (std::isnan(value)) continue;
    min = count == 0 ? value : std::min(min, value);
    max = count == 0 ? value : std::max(max, value);
    sum += value;
    ++count;
  }
  if (count == 0) return kNaN;
  switch (how) {
    case GroupAggregate::kMean:
      return sum / static_cast<double>(count);
    case GroupAggregate::kMin:
      return min;
    case GroupAggregate::kMax:
      return max;
    case GroupAggregate::kSum:
      return sum;
    case GroupAggregate::kSpread:
      return count < 2 || max <= 0 ? kNaN : (max - min) / max;
  }
  return kNaN;
}

// Whether the labels have these values.
bool HasLabels(const Labels& labels, const Labels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

// Whether labels are those of the group. A label that is not there belongs to
// all groups: the memory of a node to each of its GPUs.
bool IsOfGroup(const Labels& labels, const Labels& group) {
  return std::all_of(group.begin(), group.end(), [&](const auto& label) {
    const auto found = labels.find(label.first);
    return found == labels.end() || found->second == label.second;
  });
}

// Evaluates one rule.
class RuleRun {
 public:
  RuleRun(const Rule& rule, const JobSamples& samples, const Steps& steps)
      : rule_(rule), samples_(samples), steps_(steps) {}

  std::vector<RuleFinding> Run() {
    FindGroups();
    for (const RuleCondition& condition : rule_.when) AddCondition(condition);
    std::vector<std::vector<bool>> holds;
    for (size_t g = 0; g < groups_.size(); ++g) holds.push_back(Holds(g));
    LeaveOutCrowds(&holds);
    std::vector<RuleFinding> findings;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (auto finding = FindingOf(g, holds[g])) {
        findings.push_back(*std::move(finding));
      }
    }
    return findings;
  }

 private:
  // The groups are those of the first condition.
  void FindGroups() {
    std::set<Labels> groups;
    const auto add = [&](const Labels& labels) {
      Labels group;
      for (const std::string& label : rule_.per) {
        const auto found = labels.find(label);
        if (found == labels.end()) return;
        group[label] = found->second;
      }
      if (groups.size() < kMaxGroups) groups.insert(std::move(group));
    };
    const RuleCondition& first = rule_.when.front();
    for (const SeriesSamples& series : samples_.series) {
      if (series.name == first.series &&
          HasLabels(series.labels, first.labels)) {
        add(series.labels);
      }
    }
    for (const SampledEvent& event : samples_.events) {
      if (event.kind == first.event && HasLabels(event.labels, first.labels)) {
        add(event.labels);
      }
    }
    groups_.assign(groups.begin(), groups.end());
  }

  // By group. An event is a 1 in its step.
  void AddCondition(const RuleCondition& condition) {
    std::vector<Values>& values = values_.emplace_back();
    if (!condition.event.empty()) {
      for (const Labels& group : groups_) {
        values.push_back(EventsOf(condition, group));
      }
      return;
    }
    std::vector<std::pair<const Labels*, Values>> series, divisors;
    for (const SeriesSamples& one : samples_.series) {
      if (one.name == condition.series &&
          HasLabels(one.labels, condition.labels)) {
        series.emplace_back(&one.labels, Applied(one, condition, steps_));
      }
      if (one.name == condition.divide_by) {
        divisors.emplace_back(&one.labels, Sampled(one, steps_, false));
      }
    }
    for (const Labels& group : groups_) {
      Values of_group = Joined(condition.aggregate, series, group);
      if (!condition.divide_by.empty()) {
        Divide(Joined(condition.aggregate, divisors, group), &of_group);
      }
      values.push_back(std::move(of_group));
    }
    if (condition.to_median) DivideByMedian(&values);
  }

  Values EventsOf(const RuleCondition& condition, const Labels& group) const {
    Values values(steps_.count, kNaN);
    for (const SampledEvent& event : samples_.events) {
      const auto step = steps_.Find(event.time_ms);
      if (step && event.kind == condition.event &&
          HasLabels(event.labels, condition.labels) &&
          IsOfGroup(event.labels, group)) {
        values[*step] = 1;
      }
    }
    return values;
  }

  Values Joined(GroupAggregate how,
                const std::vector<std::pair<const Labels*, Values>>& series,
                const Labels& group) const {
    std::vector<const Values*> members;
    for (const auto& [labels, values] : series) {
      if (IsOfGroup(*labels, group)) members.push_back(&values);
    }
    Values joined(steps_.count, kNaN);
    for (size_t i = 0; i < joined.size(); ++i) {
      joined[i] = Aggregate(how, members, i);
    }
    return joined;
  }

  static void Divide(const Values& divisors, Values* values) {
    for (size_t i = 0; i < values->size(); ++i) {
      (*values)[i] = divisors[i] > 0 ? (*values)[i] / divisors[i] : kNaN;
    }
  }

  void DivideByMedian(std::vector<Values>* by_group) const {
    for (size_t i = 0; i < steps_.count; ++i) {
      std::vector<double> present;
      for (const Values& values : *by_group) {
        if (!std::isnan(values[i])) present.push_back(values[i]);
      }
      double median = 0;
      if (present.size() >= kMinMedianGroups) {
        const auto middle =
            present.begin() + static_cast<std::ptrdiff_t>(present.size() / 2);
        std::nth_element(present.begin(), middle, present.end());
        median = *middle;
      }
      for (Values& values : *by_group) {
        values[i] = median > 0 ? values[i] / median : kNaN;
      }
    }
  }

  std::vector<bool> Holds(size_t group) const {
    std::vector<bool> holds(steps_.count, true);
    for (size_t c = 0; c < rule_.when.size(); ++c) {
      const RuleCondition& condition = rule_.when[c];
      const Values& values = values_[c][group];
      for (size_t i = 0; i < steps_.count; ++i) {
        // A comparison with NaN is false.
        const bool is_within =
            !std::isnan(values[i]) &&
            (!condition.below || values[i] < *condition.below) &&
            (!condition.above || values[i] > *condition.above);
        holds[i] = holds[i] && is_within;
      }
    }
    return holds;
  }

  // If more groups hold at a time than the rule finds, none does.
  void LeaveOutCrowds(std::vector<std::vector<bool>>* holds) const {
    if (!rule_.max_groups) return;
    for (size_t i = 0; i < steps_.count; ++i) {
      int count = 0;
      for (const std::vector<bool>& one : *holds) count += one[i] ? 1 : 0;
      if (count <= *rule_.max_groups) continue;
      for (std::vector<bool>& one : *holds) one[i] = false;
    }
  }

  std::optional<RuleFinding> FindingOf(size_t group,
                                       const std::vector<bool>& holds) const {
    const int64_t min_ms = absl::ToInt64Milliseconds(rule_.hold);
    RuleFinding finding{.rule = &rule_, .group = groups_[group]};
    size_t longest_begin = 0, longest = 0;
    for (size_t begin = 0; begin < holds.size();) {
      if (!holds[begin]) {
        ++begin;
        continue;
      }
      size_t end = begin;
      while (end < holds.size() && holds[end]) ++end;
      const int64_t length_ms =
          static_cast<int64_t>(end - begin) * steps_.step_ms;
      if (length_ms >= min_ms) {
        if (finding.held_s == 0) finding.from_ms = steps_.Begin(begin);
        finding.to_ms = std::min(steps_.Begin(end), samples_.to_ms);
        finding.held_s += length_ms / 1000;
        if (end - begin > longest) {
          longest = end - begin;
          longest_begin = begin;
        }
      }
      begin = end;
    }
    if (longest == 0) return std::nullopt;
    for (size_t c = 0; c < rule_.when.size(); ++c) {
      finding.samples.push_back(Cite(rule_.when[c], values_[c][group],
                                     longest_begin, longest_begin + longest));
    }
    return finding;
  }

  CitedSamples Cite(const RuleCondition& condition, const Values& values,
                    size_t begin, size_t end) const {
    CitedSamples cited;
    const size_t distance = std::max<size_t>(
        (end - begin + kMaxCitedPoints - 1) / kMaxCitedPoints, 1);
    if (!condition.event.empty()) {
      cited.subject = absl::StrCat("event ", condition.event);
      for (size_t i = begin; i < end; i += distance) {
        cited.points.emplace_back(steps_.Begin(i), values[i]);
      }
      return cited;
    }
    cited.subject = SubjectOf(condition);
    cited.limit = LimitOf(condition);
    double sum = 0;
    cited.min = values[begin];
    cited.max = values[begin];
    for (size_t i = begin; i < end; ++i) {
      sum += values[i];
      cited.min = std::min(cited.min, values[i]);
      cited.max = std::max(cited.max, values[i]);
      if ((i - begin) % distance == 0) {
        cited.points.emplace_back(steps_.Begin(i), values[i]);
      }
    }
    cited.mean = sum / static_cast<double>(end - begin);
    return cited;
  }

  static std::string SubjectOf(const RuleCondition& condition) {
    std::string text = condition.series;
    switch (condition.function) {
      case SeriesFunction::kValue:
        break;
      case SeriesFunction::kRate:
        text = absl::StrCat("rate of ", text);
        break;
      case SeriesFunction::kIncrease:
        text = absl::StrCat("increase of ", text, " in ",
                            absl::FormatDuration(condition.window));
        break;
      case SeriesFunction::kGrowth:
        text = absl::StrCat("growth of ", text, " in ",
                            absl::FormatDuration(condition.window));
        break;
    }
    if (condition.aggregate == GroupAggregate::kSpread) {
      text = absl::StrCat("spread of ", text);
    }
    if (!condition.divide_by.empty()) {
      absl::StrAppend(&text, " / ", condition.divide_by);
    }
    if (condition.to_median) absl::StrAppend(&text, " / median");
    return text;
  }

  static std::string LimitOf(const RuleCondition& condition) {
    std::string text;
    if (condition.above) absl::StrAppend(&text, "above ", *condition.above);
    if (condition.below) {
      absl::StrAppend(&text, text.empty() ? "" : ", ", "below ",
                      *condition.below);
    }
    return text;
  }

  const Rule& rule_;
  const JobSamples& samples_;
  const Steps& steps_;
  std::vector<Labels> groups_;
  std::vector<std::vector<Values>> values_;  // by condition and group
};

}  // namespace

std::vector<RuleFinding> EvaluateRules(const RuleSet& rules,
                                       const JobSamples& samples) {
  const Steps steps = StepsOf(samples);
  std::vector<RuleFinding> findings;
  for (const Rule& rule : rules.rules) {
    for (RuleFinding& finding : RuleRun(rule, samples, steps).Run()) {
      findings.push_back(std::move(finding));
    }
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const RuleFinding& a, const RuleFinding& b) {
                     if (a.rule->severity != b.rule->severity) {
                       return a.rule->severity > b.rule->severity;
                     }
                     return a.held_s > b.held_s;
                   });
  if (findings.size() > kMaxFindings) findings.resize(kMaxFindings);
  return findings;
}

}  // namespace carme::metric_rules
