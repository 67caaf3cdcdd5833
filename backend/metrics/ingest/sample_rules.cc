#include "backend/metrics/ingest/sample_rules.h"

#include <algorithm>
#include <optional>

#include "common/name_rules.h"
#include "common/printable.h"

namespace carme::metrics {
namespace {

constexpr NameRule kSeriesNameRule{
    .characters = kLowercase | kDecimalDigits | "_",
    .max_bytes = kMaxNameBytes,
    .first = kLowercase};
constexpr size_t kMaxEventBytes = 400;

bool IsText(std::string_view text, size_t max_bytes) {
  if (text.size() > max_bytes) return false;
  const bool is_plain = std::all_of(
      text.begin(), text.end(), [](char c) { return ' ' <= c && c <= '~'; });
  return is_plain || PrintableLength(text).has_value();
}

template <typename Labels>
bool AreLabels(const Labels& labels) {
  if (labels.size() > kMaxLabels) return false;
  for (const auto& [name, value] : labels) {
    if (!IsLabelName(name) || !IsText(value, kMaxLabelBytes)) return false;
  }
  return true;
}

}  // namespace

bool IsSeriesName(std::string_view name) {
  return kSeriesNameRule.Allows(name);
}

bool IsLabelName(std::string_view name) {
  return kSeriesNameRule.Allows(name) && name != "job" && name != "node";
}

bool IsValidSeries(std::string_view name,
                   absl::Span<const SampleLabel> labels) {
  return IsSeriesName(name) && AreLabels(labels);
}

bool IsValidEvent(const v1::NodeEvent& event) {
  return IsSeriesName(event.kind()) && IsText(event.text(), kMaxEventBytes) &&
         AreLabels(event.labels());
}

}  // namespace carme::metrics
