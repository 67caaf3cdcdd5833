#include "backend/metrics/ingest/sample_rules.h"

#include <optional>
#include <string>

#include "backend/metrics/ingest/messages.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"

namespace carme::metrics {
namespace {

constexpr NameRule kSeriesNameRule{
    .characters = kLowercase | kDecimalDigits | "_",
    .max_bytes = kMaxNameBytes,
    .first = kLowercase};
constexpr size_t kMaxEventBytes = 400;

bool IsText(const std::string& text, size_t max_bytes) {
  return text.size() <= max_bytes && PrintableLength(text).has_value();
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

absl::Status CheckRequest(const v1::WriteSamplesRequest& request) {
  if (request.nodes_size() > kMaxRequestNodes) {
    return MakeError(
        ingest_messages::kTooManyNodes,
        {{"nodes", request.nodes_size()}, {"max", kMaxRequestNodes}});
  }
  int series = 0;
  int samples = 0;
  int index = 0;
  for (const v1::NodeSamples& node : request.nodes()) {
    if (!kSlurmNameRule.Allows(node.node())) {
      return MakeError(ingest_messages::kInvalidNode, {{"index", index}});
    }
    ++index;
    series += node.series_size();
    for (const v1::SampleSeries& one : node.series()) {
      samples += one.values_size();
    }
  }
  if (series > kMaxRequestSeries) {
    return MakeError(ingest_messages::kTooManySeries,
                     {{"series", series}, {"max", kMaxRequestSeries}});
  }
  if (samples > kMaxRequestSamples) {
    return MakeError(ingest_messages::kTooManySamples,
                     {{"samples", samples}, {"max", kMaxRequestSamples}});
  }
  return absl::OkStatus();
}

bool IsSeriesName(std::string_view name) {
  return kSeriesNameRule.Allows(name);
}

bool IsLabelName(std::string_view name) {
  return kSeriesNameRule.Allows(name) && name != "job" && name != "node";
}

bool IsValidSeries(const v1::SampleSeries& series) {
  return IsSeriesName(series.name()) && AreLabels(series.labels()) &&
         series.times_ms_size() == series.values_size();
}

bool IsValidEvent(const v1::NodeEvent& event) {
  return IsSeriesName(event.kind()) && IsText(event.text(), kMaxEventBytes) &&
         AreLabels(event.labels());
}

}  // namespace carme::metrics
