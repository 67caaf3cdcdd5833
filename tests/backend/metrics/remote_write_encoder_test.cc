#include "backend/metrics/ingest/remote_write_encoder.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "prometheus/remote.pb.h"

namespace carme::metrics {
namespace {

prometheus::WriteRequest Decoded(const RemoteWriteEncoder& encoder) {
  prometheus::WriteRequest request;
  REQUIRE(request.ParseFromString(encoder.bytes()));
  return request;
}

TEST_CASE("remote write encoder: encodes no series without samples",
          "[metrics]") {
  RemoteWriteEncoder encoder;
  encoder.BeginSeries("a", "j", "n", {});
  encoder.EndSeries();
  CHECK(encoder.bytes().empty());
}

TEST_CASE("remote write encoder: sorts labels and omits empty ones",
          "[metrics]") {
  RemoteWriteEncoder encoder;
  const std::vector<SampleLabel> labels = {
      {"rank", "1"}, {"gpu", "0"}, {"kind", ""}};
  encoder.BeginSeries("carme_a", "j1", "n1", labels);
  encoder.AddSample(1, 2);
  encoder.EndSeries();
  const prometheus::WriteRequest request = Decoded(encoder);
  std::string text;
  for (const prometheus::Label& label : request.timeseries(0).labels()) {
    text += label.name() + "=" + label.value() + " ";
  }
  CHECK(text == "__name__=carme_a gpu=0 job=j1 node=n1 rank=1 ");
}

TEST_CASE("remote write encoder: keeps each time and value", "[metrics]") {
  RemoteWriteEncoder encoder;
  const std::vector<int64_t> times_ms = {
      0, 127, 128, 1'800'000'000'123, std::numeric_limits<int64_t>::max(), -1};
  const std::vector<double> values = {
      0, -0.0, 0.1, -1e308, std::numeric_limits<double>::denorm_min(), 7};
  const std::string name(kMaxNameBytes, 'a');
  for (int i = 0; i < 3; ++i) {
    encoder.BeginSeries(name, "j", "n", {});
    for (size_t k = 0; k < values.size(); ++k) {
      encoder.AddSample(times_ms[k], values[k]);
    }
    encoder.EndSeries();
  }
  const prometheus::WriteRequest request = Decoded(encoder);
  REQUIRE(request.timeseries_size() == 3);
  for (const prometheus::TimeSeries& series : request.timeseries()) {
    CHECK(series.labels(0).value() == name);
    REQUIRE(series.samples_size() == static_cast<int>(values.size()));
    for (int k = 0; k < series.samples_size(); ++k) {
      CHECK(series.samples(k).timestamp() == times_ms[static_cast<size_t>(k)]);
      CHECK(series.samples(k).value() == values[static_cast<size_t>(k)]);
    }
  }
}

TEST_CASE(
    "remote write encoder: labels that could be confused are encoded "
    "differently",
    "[metrics]") {
  RemoteWriteEncoder encoder;
  const std::vector<SampleLabel> one = {{"a", "bc"}};
  const std::vector<SampleLabel> other = {{"ab", "c"}};
  const std::string first(encoder.BeginSeries("x", "j", "n", one));
  CHECK(encoder.BeginSeries("x", "j", "n", other) != first);
  CHECK(encoder.BeginSeries("x", "j", "n", one) == first);
}

}  // namespace
}  // namespace carme::metrics
