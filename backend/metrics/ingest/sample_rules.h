// The rules for series of jobs: names, labels and limits of a request. Pure.
#ifndef CARME_BACKEND_METRICS_INGEST_SAMPLE_RULES_H_
#define CARME_BACKEND_METRICS_INGEST_SAMPLE_RULES_H_

#include <cstdint>
#include <string_view>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "carme/v1/samples.pb.h"

namespace carme::metrics {

// samples.proto
inline constexpr int kMaxRequestBytes = 1 << 20;
inline constexpr int kMaxRequestSeries = 4096;
inline constexpr int kMaxRequestSamples = 60'000;
inline constexpr int kMaxRequestNodes = 256;
inline constexpr int kMaxRequestSources = 8192;
inline constexpr int kMaxRequestEvents = 8192;
inline constexpr int kMaxLabels = 8;
inline constexpr size_t kMaxLabelBytes = 128;
inline constexpr size_t kMaxNameBytes = 128;
// How old a sample may be, as an agent keeps samples for five minutes while it
// cannot send them, and how far the clock of its node may be ahead.
inline constexpr absl::Duration kMaxAge = absl::Hours(1);
inline constexpr absl::Duration kMaxAhead = absl::Minutes(1);

// The name of a series or a label. Names that carme-metrics sets itself ("job",
// "node") are not accepted for labels.
bool IsSeriesName(std::string_view name);
bool IsLabelName(std::string_view name);

struct SampleLabel {
  std::string_view name;
  std::string_view value;
};

// Whether name and labels are valid.
bool IsValidSeries(std::string_view name, absl::Span<const SampleLabel> labels);

// Whether an event can be stored: its kind, its text and labels are printable
// and within their limits.
bool IsValidEvent(const v1::NodeEvent& event);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_INGEST_SAMPLE_RULES_H_
