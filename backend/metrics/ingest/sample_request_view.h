// A WriteSamplesRequest that is read in place: texts are parts of its bytes,
// and nothing is allocated for a series.
#ifndef CARME_BACKEND_METRICS_INGEST_SAMPLE_REQUEST_VIEW_H_
#define CARME_BACKEND_METRICS_INGEST_SAMPLE_REQUEST_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backend/metrics/ingest/sample_rules.h"
#include "carme/v1/samples.pb.h"

namespace carme::metrics {

// Elements of one of the lists of a SampleRequestView.
struct ViewRange {
  size_t begin = 0;
  size_t size = 0;
};

struct SeriesView {
  std::string_view name;
  uint32_t source = 0;
  ViewRange labels;  // at most kMaxLabels + 1; more are not kept
  ViewRange times_ms;
  ViewRange values;
};

struct NodeSamplesView {
  std::string_view node;
  int64_t sent_at_ms = 0;
  uint64_t missed = 0;
  uint64_t dropped = 0;
  ViewRange series;
  // Few, and kept longer than the request.
  std::vector<v1::SampleSource> sources;
  std::vector<v1::NodeEvent> events;
};

// Not thread-safe. An object that is used again allocates nothing for requests
// of the same size.
class SampleRequestView {
 public:
  // Accepts what protobuf's own parser accepts, within the limits of
  // sample_rules.h, each of which is checked before memory is allocated.
  // INVALID_ARGUMENT: malformed, beyond a limit, or a node has no valid name.
  // `bytes` must outlive the use of the view.
  absl::Status Read(std::string_view bytes);
  void Clear();

  std::string_view job_id() const { return job_id_; }
  const std::vector<NodeSamplesView>& nodes() const { return nodes_; }
  // Removes the nodes of these names; returns how many samples they had.
  uint64_t RemoveNodes(const std::set<std::string>& names);
  size_t samples() const { return values_.size(); }

  absl::Span<const SeriesView> series(const NodeSamplesView& node) const {
    return Part(series_, node.series);
  }
  // Each name once, in no order.
  absl::Span<const SampleLabel> labels(const SeriesView& series) const {
    return Part(labels_, series.labels);
  }
  absl::Span<const int64_t> times_ms(const SeriesView& series) const {
    return Part(times_ms_, series.times_ms);
  }
  absl::Span<const double> values(const SeriesView& series) const {
    return Part(values_, series.values);
  }
  // sample_rules.h
  bool IsValid(const SeriesView& one) const {
    return IsValidSeries(one.name, labels(one)) &&
           one.times_ms.size == one.values.size;
  }
  // The whole series as a message, for pages that show it.
  void CopyTo(const SeriesView& one, v1::SampleSeries* message) const;

 private:
  template <typename T>
  static absl::Span<const T> Part(const std::vector<T>& all, ViewRange range) {
    return absl::MakeConstSpan(all).subspan(range.begin, range.size);
  }
  absl::Status ReadNode(std::string_view bytes);
  absl::Status ReadSeries(std::string_view bytes);
  absl::Status ReadLabel(std::string_view bytes, SeriesView* series);
  absl::Status ReadTimes(std::string_view bytes);
  absl::Status ReadValues(std::string_view bytes);
  absl::Status AddTime(uint64_t encoded);
  absl::Status AddValue(uint64_t bits);

  std::string_view job_id_;
  std::vector<NodeSamplesView> nodes_;
  std::vector<SeriesView> series_;
  std::vector<SampleLabel> labels_;
  std::vector<int64_t> times_ms_;
  std::vector<double> values_;
  size_t sources_ = 0;
  size_t events_ = 0;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_INGEST_SAMPLE_REQUEST_VIEW_H_
