// Builds the samples of a job for tests of rules.
#ifndef CARME_TESTS_COMMON_METRIC_RULES_JOB_SAMPLES_H_
#define CARME_TESTS_COMMON_METRIC_RULES_JOB_SAMPLES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "common/metric_rules/rule_evaluation.h"

namespace carme::metric_rules {

inline constexpr int64_t kJobStart_ms = 1'800'000'000'000;

class SampledJob {
 public:
  explicit SampledJob(int64_t length_s) {
    samples_.from_ms = kJobStart_ms;
    samples_.to_ms = kJobStart_ms + length_s * 1000;
  }

  // A sample each 5 s. `value` gets the seconds since the start; nullopt: a
  // gap.
  SampledJob& Add(const std::string& name,
                  const std::map<std::string, std::string>& labels,
                  const std::function<std::optional<double>(int64_t)>& value) {
    SeriesSamples series{name, labels, {}};
    for (int64_t at_ms = samples_.from_ms; at_ms < samples_.to_ms;
         at_ms += 5000) {
      const auto sample = value((at_ms - samples_.from_ms) / 1000);
      if (sample) series.points.emplace_back(at_ms, *sample);
    }
    samples_.series.push_back(std::move(series));
    return *this;
  }
  SampledJob& Add(const std::string& name,
                  const std::map<std::string, std::string>& labels,
                  double value) {
    return Add(name, labels, [value](int64_t) { return std::optional(value); });
  }
  // A counter that grows so much a second.
  SampledJob& AddCounter(const std::string& name,
                         const std::map<std::string, std::string>& labels,
                         double rate) {
    return Add(name, labels, [rate](int64_t s) {
      return std::optional(rate * static_cast<double>(s));
    });
  }
  SampledJob& AddEvent(int64_t at_s, const std::string& kind,
                       const std::map<std::string, std::string>& labels = {}) {
    samples_.events.push_back({kJobStart_ms + at_s * 1000, kind, labels});
    return *this;
  }

  const JobSamples& samples() const { return samples_; }

 private:
  JobSamples samples_;
};

}  // namespace carme::metric_rules

#endif  // CARME_TESTS_COMMON_METRIC_RULES_JOB_SAMPLES_H_
