// Compares how a SampleRequestView and protobuf's own parser read bytes.
#ifndef CARME_TESTS_BACKEND_METRICS_SAMPLE_VIEW_DIFFER_H_
#define CARME_TESTS_BACKEND_METRICS_SAMPLE_VIEW_DIFFER_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "backend/metrics/ingest/sample_request_view.h"
#include "carme/v1/samples.pb.h"
#include "common/protobuf/error_details.h"

namespace carme::metrics {

// What a request says, without unknown fields; labels sorted.
inline std::string TextOf(const v1::WriteSamplesRequest& request) {
  std::string text = absl::StrCat("job ", request.job_id(), "\n");
  for (const v1::NodeSamples& node : request.nodes()) {
    absl::StrAppend(&text, "node ", node.node(), " ", node.sent_at_ms(), " ",
                    node.missed(), " ", node.dropped(), "\n");
    for (const v1::SampleSource& source : node.sources()) {
      absl::StrAppend(&text, source.SerializeAsString(), "\n");
    }
    for (const v1::NodeEvent& event : node.events()) {
      absl::StrAppend(&text, event.kind(), event.text(), event.time_ms(), "\n");
    }
    for (const v1::SampleSeries& series : node.series()) {
      absl::StrAppend(&text, "series ", series.name(), " ", series.source());
      const std::map<std::string, std::string> labels(series.labels().begin(),
                                                      series.labels().end());
      for (const auto& [name, value] : labels) {
        absl::StrAppend(&text, " ", name, "=", value);
      }
      for (const int64_t time_ms : series.times_ms()) {
        absl::StrAppend(&text, " ", time_ms);
      }
      for (const double value : series.values()) {
        absl::StrAppend(&text, " ", value);
      }
      absl::StrAppend(&text, "\n");
    }
  }
  return text;
}

inline v1::WriteSamplesRequest MessageOf(const SampleRequestView& view) {
  v1::WriteSamplesRequest message;
  message.set_job_id(std::string(view.job_id()));
  for (const NodeSamplesView& node : view.nodes()) {
    v1::NodeSamples* out = message.add_nodes();
    out->set_node(std::string(node.node));
    out->set_sent_at_ms(node.sent_at_ms);
    out->set_missed(node.missed);
    out->set_dropped(node.dropped);
    out->mutable_sources()->Add(node.sources.begin(), node.sources.end());
    out->mutable_events()->Add(node.events.begin(), node.events.end());
    for (const SeriesView& series : view.series(node)) {
      view.CopyTo(series, out->add_series());
    }
  }
  return message;
}

// Empty: both refuse the bytes, or read the same.
inline std::string Difference(std::string_view bytes) {
  v1::WriteSamplesRequest message;
  const bool parsed = message.ParseFromString(std::string(bytes));
  SampleRequestView view;
  const absl::Status read = view.Read(bytes);
  const bool is_malformed = ErrorReason(read) == "SAMPLES_MALFORMED";
  if (!parsed) return read.ok() ? "only the view accepts the bytes" : "";
  if (is_malformed) return "only protobuf accepts the bytes";
  if (!read.ok()) return "";  // a limit
  for (const v1::NodeSamples& node : message.nodes()) {
    for (const v1::SampleSeries& series : node.series()) {
      if (series.labels().size() > size_t{kMaxLabels}) return "";
    }
  }
  const std::string expected = TextOf(message);
  const std::string found = TextOf(MessageOf(view));
  if (found == expected) return "";
  return absl::StrCat("expected:\n", expected, "found:\n", found);
}

}  // namespace carme::metrics

#endif  // CARME_TESTS_BACKEND_METRICS_SAMPLE_VIEW_DIFFER_H_
