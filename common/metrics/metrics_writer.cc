#include "common/metrics/metrics_writer.h"

#include <charconv>
#include <cmath>

namespace carme {
namespace {

std::string_view TypeName(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "untyped";
}

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  char* const end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

void AppendLabel(std::string_view name, std::string_view value,
                 std::string* text) {
  text->append(name).append("=\"");
  for (const char c : value) {
    if (c == '\n') {
      text->append("\\n");
      continue;
    }
    if (c == '\\' || c == '"') text->push_back('\\');
    text->push_back(c);
  }
  text->push_back('"');
}

}  // namespace

void MetricsWriter::Family(std::string_view name, MetricType type,
                           std::string_view help) {
  name_.assign(prefix_).append(name);
  text_.append("# HELP ").append(name_).append(" ").append(help);
  text_.append("\n# TYPE ").append(name_).append(" ").append(TypeName(type));
  text_.push_back('\n');
}

void MetricsWriter::Sample(Labels labels, double value) {
  SampleText(labels, NumberText(value));
}

void MetricsWriter::Histogram(Labels labels, const DurationCounts& counts) {
  uint64_t below = 0;
  for (size_t i = 0; i < counts.by_bucket.size(); ++i) {
    below += counts.by_bucket[i];
    const std::string bound =
        i < kDurationBuckets.size() ? NumberText(kDurationBuckets[i]) : "+Inf";
    Line("_bucket", labels, bound, std::to_string(below));
  }
  Line("_sum", labels, "",
       NumberText(static_cast<double>(counts.microseconds) / 1e6));
  Line("_count", labels, "", std::to_string(below));
}

void MetricsWriter::Line(std::string_view suffix, Labels labels,
                         std::string_view bound, std::string_view value) {
  text_.append(name_).append(suffix);
  char before = '{';
  for (const auto& [name, label] : labels) {
    text_.push_back(std::exchange(before, ','));
    AppendLabel(name, label, &text_);
  }
  if (!bound.empty()) {
    text_.push_back(std::exchange(before, ','));
    AppendLabel("le", bound, &text_);
  }
  if (before == ',') text_.push_back('}');
  text_.append(" ").append(value).push_back('\n');
}

}  // namespace carme
