// Evaluates rules over the samples of a job. Pure.
#ifndef CARME_COMMON_METRIC_RULES_RULE_EVALUATION_H_
#define CARME_COMMON_METRIC_RULES_RULE_EVALUATION_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/metric_rules/rule_set.h"

namespace carme::metric_rules {

struct SeriesSamples {
  std::string name;
  // With the label "node".
  std::map<std::string, std::string> labels;
  // Unix time in ms, ascending, and a value, which is finite.
  std::vector<std::pair<int64_t, double>> points;
};

struct SampledEvent {
  int64_t time_ms = 0;  // outside of the job's time: counts at its begin or end
  std::string kind;
  std::map<std::string, std::string> labels;
};

struct JobSamples {
  int64_t from_ms = 0;
  int64_t to_ms = 0;
  // Between two evaluations, and not shorter than the interval of the samples.
  int64_t step_s = 10;
  std::vector<SeriesSamples> series;
  std::vector<SampledEvent> events;
};

// The values of one condition in the time of a finding.
struct CitedSamples {
  // The series with its function, or "event oom (pid=7)" with the labels that
  // the group does not have.
  std::string subject;
  std::string limit;  // "below 0.05"; empty for an event
  double mean = 0;    // absent for an event: 0
  double min = 0;
  double max = 0;
  // The first ones of equal distance, at most kMaxCitedPoints.
  std::vector<std::pair<int64_t, double>> points;
};
inline constexpr size_t kMaxCitedPoints = 8;

// A rule that held for a group: one finding for all times of a group.
struct RuleFinding {
  const Rule* rule = nullptr;                // of the set that was evaluated
  std::map<std::string, std::string> group;  // values of `per`
  int64_t from_ms = 0;                       // begin of the first time
  int64_t to_ms = 0;                         // end of the last time
  int64_t held_s = 0;                        // all times together
  std::vector<CitedSamples> samples{};  // of the longest time, by condition
};

inline constexpr size_t kMaxFindings = 200;  // the severest, then longest

// The findings, the severest first. `rules` must outlive the result. At most
// kMaxSteps steps are evaluated: a job that is longer gets larger steps.
std::vector<RuleFinding> EvaluateRules(const RuleSet& rules,
                                       const JobSamples& samples);
inline constexpr int64_t kMaxSteps = 20'000;

}  // namespace carme::metric_rules

#endif  // CARME_COMMON_METRIC_RULES_RULE_EVALUATION_H_
