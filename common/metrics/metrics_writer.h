// Writes metrics in Prometheus' text format, version 0.0.4.
//
//   MetricsWriter writer("carme_backend_");
//   writer.Counter("logins_total", "Log-ins.", logins);
//   writer.Family("jobs", MetricType::kGauge, "Jobs, by state.");
//   writer.Sample({{"state", "running"}}, 12);
//   return writer.Take();
//
// Labels must have a small, fixed set of values: no ids, users, addresses or
// texts of clients. A HELP text is the documentation of its metric.
#ifndef CARME_COMMON_METRICS_METRICS_WRITER_H_
#define CARME_COMMON_METRICS_METRICS_WRITER_H_

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "common/metrics/metric_values.h"

namespace carme {

enum class MetricType { kCounter, kGauge, kHistogram };

// Not thread-safe.
class MetricsWriter {
 public:
  using Labels =
      std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // `prefix` begins each name.
  explicit MetricsWriter(std::string_view prefix) : prefix_(prefix) {}

  // Begins a family; its samples follow. Call once for each name. `help` must
  // have no line breaks.
  void Family(std::string_view name, MetricType type, std::string_view help);
  void Sample(Labels labels, double value);
  // Exact, also for numbers that a double cannot represent.
  void Sample(Labels labels, std::integral auto value) {
    SampleText(labels, std::to_string(value));
  }
  void Histogram(Labels labels, const DurationCounts& counts);

  // A family with one sample without labels.
  template <typename Value>
  void Counter(std::string_view name, std::string_view help, Value value) {
    Family(name, MetricType::kCounter, help);
    Sample({}, value);
  }
  template <typename Value>
  void Gauge(std::string_view name, std::string_view help, Value value) {
    Family(name, MetricType::kGauge, help);
    Sample({}, value);
  }

  std::string Take() { return std::move(text_); }

 private:
  void SampleText(Labels labels, std::string_view value) {
    Line("", labels, "", value);
  }
  // `bound`: the value of the label `le`; empty: without it.
  void Line(std::string_view suffix, Labels labels, std::string_view bound,
            std::string_view value);

  const std::string prefix_;
  std::string name_;  // of the family
  std::string text_;
};

}  // namespace carme

#endif  // CARME_COMMON_METRICS_METRICS_WRITER_H_
