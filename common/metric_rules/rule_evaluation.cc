#include "common/metric_rules/rule_evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/metric_rules/group_index.h"
#include "common/printable.h"

namespace carme::metric_rules {
namespace {

using Labels = std::map<std::string, std::string>;
using Values = std::vector<double>;  // one for each step; NaN: absent

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMinMedianGroups = 3;
constexpr size_t kMaxGroups = 20'000;
constexpr int64_t kMaxTime_ms = 100'000'000'000'000;  // Unix time
constexpr int64_t kMaxStep_s = 86'400;
constexpr size_t kMaxEventSubject = 200;

// The steps: the time of step i is that of its end.
struct Steps {
  int64_t from_ms = 0;
  int64_t to_ms = 0;
  int64_t step_ms = 1;
  size_t count = 1;

  // The step in which a time is; nullopt: outside of the job.
  std::optional<size_t> Find(int64_t time_ms) const {
    if (time_ms < from_ms) return std::nullopt;
    const auto place = static_cast<size_t>((time_ms - from_ms) / step_ms);
    if (place >= count) return std::nullopt;
    return place;
  }
  // The step of an event. It happened while the job ran: if the clock of its
  // node says otherwise, it is in the first or the last step.
  size_t Nearest(int64_t time_ms) const {
    if (time_ms < from_ms) return 0;
    return Find(time_ms).value_or(count - 1);
  }
  int64_t Begin(size_t step) const {
    return from_ms + static_cast<int64_t>(step) * step_ms;
  }
};

// Times that are not believable are cut, so that none overflows.
Steps StepsOf(const JobSamples& samples) {
  Steps steps{
      .from_ms = std::clamp<int64_t>(samples.from_ms, 0, kMaxTime_ms),
      .to_ms = std::clamp<int64_t>(samples.to_ms, 0, kMaxTime_ms),
      .step_ms = std::clamp<int64_t>(samples.step_s, 1, kMaxStep_s) * 1000};
  const int64_t length_ms = std::max<int64_t>(steps.to_ms - steps.from_ms, 0);
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

bool Contains(const std::vector<std::string>& values, const std::string& one) {
  return std::find(values.begin(), values.end(), one) != values.end();
}

// Whether the label has one of the values. "": it is absent.
bool HasValue(const Labels& labels, const std::string& name,
              const std::vector<std::string>& values) {
  const auto found = labels.find(name);
  return Contains(values, found == labels.end() ? "" : found->second);
}

bool IsWanted(const Labels& labels, const RuleCondition& condition) {
  const auto has = [&](const auto& wanted) {
    return HasValue(labels, wanted.first, wanted.second);
  };
  return std::all_of(condition.labels.begin(), condition.labels.end(), has) &&
         std::none_of(condition.except.begin(), condition.except.end(), has);
}

// A divisor may lack labels that its series has.
bool MayDivide(const Labels& labels, const RuleCondition& condition) {
  return std::all_of(condition.labels.begin(), condition.labels.end(),
                     [&](const auto& wanted) {
                       return !labels.contains(wanted.first) ||
                              HasValue(labels, wanted.first, wanted.second);
                     });
}

// The series of a condition, and which of them are a group's.
struct Members {
  explicit Members(const std::vector<std::string>& per) : index(per) {}
  void Add(const Labels& labels, Values one) {
    index.Add(labels, values.size());
    values.push_back(std::move(one));
  }
  GroupIndex index;
  std::vector<Values> values;
};

// What a condition compares in a group.
struct Compared {
  const RuleCondition* condition = nullptr;
  Values values{};  // empty: the group has none of the series
  // Of a condition about an event: by step.
  std::map<size_t, const SampledEvent*> events{};
};

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
  // The groups are those of the first condition. A series has all labels of
  // `per`; the group of an event has those that the event has.
  void FindGroups() {
    std::set<Labels> groups;
    const auto add = [&](const Labels& labels, bool is_event) {
      Labels group;
      for (const std::string& label : rule_.per) {
        const auto found = labels.find(label);
        if (found != labels.end()) {
          group[label] = found->second;
        } else if (!is_event) {
          return;
        }
      }
      if (groups.size() < kMaxGroups) groups.insert(std::move(group));
    };
    const RuleCondition& first = rule_.when.front();
    for (const SeriesSamples& series : samples_.series) {
      if (series.name == first.series && IsWanted(series.labels, first)) {
        add(series.labels, /*is_event=*/false);
      }
    }
    for (const SampledEvent& event : samples_.events) {
      if (event.kind == first.event && IsWanted(event.labels, first)) {
        add(event.labels, /*is_event=*/true);
      }
    }
    groups_.assign(groups.begin(), groups.end());
    std::map<Labels, std::vector<size_t>> alike;
    for (size_t g = 0; g < groups_.size(); ++g) {
      Labels shared;
      for (const std::string& label : rule_.within) {
        const auto found = groups_[g].find(label);
        if (found != groups_[g].end()) shared.insert(*found);
      }
      alike[std::move(shared)].push_back(g);
    }
    for (auto& [shared, members] : alike) alike_.push_back(std::move(members));
  }

  void AddCondition(const RuleCondition& condition) {
    // Only what has the labels of a group made it.
    const bool made_groups = compared_.empty();
    std::vector<Compared> compared = condition.event.empty()
                                         ? SeriesOf(condition, made_groups)
                                         : EventsOf(condition, made_groups);
    if (!condition.if_missing.empty()) {
      const bool is_missing =
          std::any_of(compared.begin(), compared.end(),
                      [](const Compared& one) { return one.values.empty(); });
      if (is_missing) {
        std::vector<Compared> others =
            SeriesOf(condition.if_missing.front(), /*made_groups=*/false);
        for (size_t g = 0; g < compared.size(); ++g) {
          if (compared[g].values.empty()) compared[g] = std::move(others[g]);
        }
      }
    }
    compared_.push_back(std::move(compared));
  }

  static std::vector<size_t> Find(GroupIndex* index, const Labels& group,
                                  bool made_groups) {
    return made_groups ? index->FindExact(group) : index->Find(group);
  }

  // By group.
  std::vector<Compared> SeriesOf(const RuleCondition& condition,
                                 bool made_groups) const {
    Members series(rule_.per), divisors(rule_.per);
    for (const SeriesSamples& one : samples_.series) {
      if (one.name == condition.series && IsWanted(one.labels, condition)) {
        series.Add(one.labels, Applied(one, condition, steps_));
      }
      if (one.name == condition.divide_by && MayDivide(one.labels, condition)) {
        divisors.Add(one.labels, Sampled(one, steps_, false));
      }
    }
    std::vector<Compared> compared;
    for (const Labels& group : groups_) {
      Compared& one = compared.emplace_back(Compared{.condition = &condition});
      one.values = Joined(condition.aggregate, series.values,
                          Find(&series.index, group, made_groups));
      if (condition.divide_by.empty() || one.values.empty()) continue;
      Divide(Joined(condition.aggregate, divisors.values,
                    divisors.index.Find(group)),
             &one.values);
    }
    if (condition.to_median) {
      for (const std::vector<size_t>& members : alike_) {
        DivideByMedian(members, &compared);
      }
    }
    return compared;
  }

  // By group. An event is a 1 in its step.
  std::vector<Compared> EventsOf(const RuleCondition& condition,
                                 bool made_groups) const {
    GroupIndex index(rule_.per);
    for (size_t i = 0; i < samples_.events.size(); ++i) {
      const SampledEvent& event = samples_.events[i];
      if (event.kind == condition.event && IsWanted(event.labels, condition)) {
        index.Add(event.labels, i);
      }
    }
    std::vector<Compared> compared;
    for (const Labels& group : groups_) {
      Compared& one = compared.emplace_back(Compared{.condition = &condition});
      one.values.assign(steps_.count, kNaN);
      for (const size_t i : Find(&index, group, made_groups)) {
        const SampledEvent& event = samples_.events[i];
        const size_t step = steps_.Nearest(event.time_ms);
        one.values[step] = 1;
        one.events.emplace(step, &event);
      }
    }
    return compared;
  }

  // Empty: there are no members.
  Values Joined(GroupAggregate how, const std::vector<Values>& all,
                const std::vector<size_t>& places) const {
    if (places.empty()) return {};
    if (places.size() == 1 && how != GroupAggregate::kSpread) {
      return all[places[0]];
    }
    std::vector<const Values*> members;
    for (const size_t place : places) members.push_back(&all[place]);
    Values joined(steps_.count, kNaN);
    for (size_t i = 0; i < joined.size(); ++i) {
      joined[i] = Aggregate(how, members, i);
    }
    return joined;
  }

  static void Divide(const Values& divisors, Values* values) {
    for (size_t i = 0; i < values->size(); ++i) {
      const double divisor = divisors.empty() ? kNaN : divisors[i];
      (*values)[i] = divisor > 0 ? (*values)[i] / divisor : kNaN;
    }
  }

  void DivideByMedian(const std::vector<size_t>& members,
                      std::vector<Compared>* compared) const {
    std::vector<double> present;
    for (size_t i = 0; i < steps_.count; ++i) {
      present.clear();
      for (const size_t g : members) {
        const Values& values = (*compared)[g].values;
        if (!values.empty() && !std::isnan(values[i])) {
          present.push_back(values[i]);
        }
      }
      double median = 0;
      if (present.size() >= kMinMedianGroups) {
        const auto middle =
            present.begin() + static_cast<std::ptrdiff_t>(present.size() / 2);
        std::nth_element(present.begin(), middle, present.end());
        median = *middle;
      }
      for (const size_t g : members) {
        Values& values = (*compared)[g].values;
        if (values.empty()) continue;
        values[i] = median > 0 ? values[i] / median : kNaN;
      }
    }
  }

  std::vector<bool> Holds(size_t group) const {
    std::vector<bool> holds(steps_.count, true);
    for (const std::vector<Compared>& by_group : compared_) {
      const RuleCondition& condition = *by_group[group].condition;
      const Values& values = by_group[group].values;
      for (size_t i = 0; i < steps_.count; ++i) {
        // A comparison with NaN is false.
        const bool is_within =
            !values.empty() && !std::isnan(values[i]) &&
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
    for (const std::vector<size_t>& members : alike_) {
      for (size_t i = 0; i < steps_.count; ++i) {
        int count = 0;
        for (const size_t g : members) count += (*holds)[g][i] ? 1 : 0;
        if (count <= *rule_.max_groups) continue;
        for (const size_t g : members) (*holds)[g][i] = false;
      }
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
        finding.to_ms = std::min(steps_.Begin(end), steps_.to_ms);
        finding.held_s += length_ms / 1000;
        if (end - begin > longest) {
          longest = end - begin;
          longest_begin = begin;
        }
      }
      begin = end;
    }
    if (longest == 0) return std::nullopt;
    for (const std::vector<Compared>& by_group : compared_) {
      finding.samples.push_back(Cite(by_group[group], groups_[group],
                                     longest_begin, longest_begin + longest));
    }
    return finding;
  }

  CitedSamples Cite(const Compared& compared, const Labels& group, size_t begin,
                    size_t end) const {
    const RuleCondition& condition = *compared.condition;
    const Values& values = compared.values;
    CitedSamples cited;
    const size_t distance = std::max<size_t>(
        (end - begin + kMaxCitedPoints - 1) / kMaxCitedPoints, 1);
    if (!condition.event.empty()) {
      cited.subject =
          SubjectOf(*compared.events.lower_bound(begin)->second, group);
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

  // With the labels that the group does not have.
  static std::string SubjectOf(const SampledEvent& event, const Labels& group) {
    std::string labels;
    for (const auto& [name, value] : event.labels) {
      if (group.contains(name)) continue;
      absl::StrAppend(&labels, labels.empty() ? "" : ", ", name, "=", value);
    }
    std::string text = absl::StrCat("event ", event.kind);
    if (!labels.empty()) absl::StrAppend(&text, " (", labels, ")");
    return Readable(text, kMaxEventSubject);
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
  // Groups whose values of `within` are equal: all of them without it.
  std::vector<std::vector<size_t>> alike_;
  std::vector<std::vector<Compared>> compared_;  // by condition and group
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
