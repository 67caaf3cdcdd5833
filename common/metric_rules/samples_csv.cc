#include "common/metric_rules/samples_csv.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/metric_rules/messages.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::metric_rules {
namespace {

constexpr std::string_view kHeader = "time_s,node,name,labels,value";
constexpr std::string_view kEvent = "event:";
constexpr size_t kMaxShownField = 80;

// The fields of a row of RFC 4180 without line breaks in fields.
std::vector<std::string> FieldsOf(std::string_view row) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < row.size(); ++i) {
    const char c = row[i];
    if (quoted && c == '"' && i + 1 < row.size() && row[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::map<std::string, std::string> LabelsOf(const std::string& text,
                                            const std::string& node) {
  std::map<std::string, std::string> labels;
  if (!node.empty()) labels["node"] = node;
  for (const absl::string_view pair :
       absl::StrSplit(text, ';', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> label =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    labels[label.first] = label.second;
  }
  return labels;
}

class CsvReader {
 public:
  explicit CsvReader(const std::string& path) : path_(path) {}

  absl::StatusOr<JobSamples> Read(std::string_view text) {
    size_t rows = 0;
    while (!text.empty()) {
      const size_t end = text.find('\n');
      std::string_view row = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (row.ends_with('\r')) row.remove_suffix(1);
      ++line_;
      if (line_ == 1) {
        if (row != kHeader)
          return Refuse(FormatMessage(rule_messages::kNoHeader));
        continue;
      }
      if (row.empty()) continue;
      if (++rows > kMaxSampleRows) {
        return Refuse(FormatMessage(rule_messages::kTooManyRows,
                                    {{"max", kMaxSampleRows}}));
      }
      RETURN_IF_ERROR(ReadRow(row));
    }
    if (line_ == 0) return Refuse(FormatMessage(rule_messages::kNoHeader));
    // The clocks of events may be wrong: they do not make the job longer.
    if (samples_.series.empty()) {
      for (const SampledEvent& event : samples_.events) Include(event.time_ms);
    }
    for (SeriesSamples& series : samples_.series) {
      std::stable_sort(
          series.points.begin(), series.points.end(),
          [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t i = 1; i < series.points.size(); ++i) {
        const int64_t distance_s =
            (series.points[i].first - series.points[i - 1].first + 999) / 1000;
        // The step of the export: the shortest interval of the series.
        interval_s_ = std::min(interval_s_, std::max<int64_t>(distance_s, 1));
      }
    }
    if (interval_s_ != INT64_MAX) {
      samples_.step_s = std::max(samples_.step_s, interval_s_);
    }
    return std::move(samples_);
  }

 private:
  absl::Status Refuse(const std::string& problem) const {
    return MakePlainError(
        rule_messages::kSamplesInvalid,
        {{"path", path_}, {"line", line_}, {"problem", problem}});
  }
  absl::Status NotARow(const std::string& cause) const {
    return Refuse(FormatMessage(rule_messages::kNotARow, {{"cause", cause}}));
  }

  void Include(int64_t time_ms) {
    if (samples_.from_ms == 0 || time_ms < samples_.from_ms) {
      samples_.from_ms = time_ms;
    }
    samples_.to_ms = std::max(samples_.to_ms, time_ms);
  }

  absl::Status ReadRow(std::string_view row) {
    const std::vector<std::string> fields = FieldsOf(row);
    if (fields.size() != 5) {
      return NotARow(FormatMessage(rule_messages::kFieldCount,
                                   {{"count", fields.size()}}));
    }
    double numbers[2] = {0, 0};
    for (const auto& [place, field] : {std::pair{0, 0}, {1, 4}}) {
      const std::string& text = fields[static_cast<size_t>(field)];
      double* const number = &numbers[place];
      if (!absl::SimpleAtod(text, number) || std::abs(*number) > 1e300 ||
          (place == 0 && !(*number >= 0 && *number <= 1e11))) {
        return NotARow(
            FormatMessage(rule_messages::kNotANumber,
                          {{"text", Readable(text, kMaxShownField)}}));
      }
    }
    const auto time_ms = int64_t{std::llround(numbers[0] * 1000)};
    auto labels = LabelsOf(fields[3], fields[1]);
    if (fields[2].starts_with(kEvent)) {
      samples_.events.push_back(
          {time_ms, fields[2].substr(kEvent.size()), std::move(labels)});
      return absl::OkStatus();
    }
    Include(time_ms);
    const auto [place, is_new] = places_.emplace(
        absl::StrCat(fields[2], "\n", fields[1], "\n", fields[3]),
        samples_.series.size());
    if (is_new) samples_.series.push_back({fields[2], std::move(labels), {}});
    if (std::isfinite(numbers[1])) {
      samples_.series[place->second].points.emplace_back(time_ms, numbers[1]);
    }
    return absl::OkStatus();
  }

  const std::string& path_;
  int64_t line_ = 0;
  int64_t interval_s_ = INT64_MAX;
  JobSamples samples_;
  std::map<std::string, size_t> places_;
};

}  // namespace

absl::StatusOr<JobSamples> ParseSamplesCsv(std::string_view text,
                                           const std::string& path) {
  return CsvReader(path).Read(text);
}

}  // namespace carme::metric_rules
