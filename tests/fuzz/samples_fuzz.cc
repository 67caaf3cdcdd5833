// What an agent, which is in the hands of a user, sends as samples.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "backend/metrics/ingest/remote_write_encoder.h"
#include "prometheus/remote.pb.h"
#include "tests/backend/metrics/sample_view_differ.h"

namespace carme::metrics {
namespace {

void CheckEncoded(const SampleRequestView& view) {
  RemoteWriteEncoder encoder;
  for (const NodeSamplesView& node : view.nodes()) {
    for (const SeriesView& series : view.series(node)) {
      if (!view.IsValid(series)) continue;
      encoder.BeginSeries(series.name, "j", node.node, view.labels(series));
      for (size_t i = 0; i < view.values(series).size(); ++i) {
        encoder.AddSample(view.times_ms(series)[i], view.values(series)[i]);
      }
      encoder.EndSeries();
    }
  }
  prometheus::WriteRequest request;
  if (!request.ParseFromString(encoder.bytes())) std::abort();
}

}  // namespace
}  // namespace carme::metrics

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace carme::metrics;  // NOLINT
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string difference = Difference(bytes);
  if (!difference.empty()) {
    std::cerr << difference << "\n";
    std::abort();
  }
  SampleRequestView view;
  if (view.Read(bytes).ok()) CheckEncoded(view);
  return 0;
}
