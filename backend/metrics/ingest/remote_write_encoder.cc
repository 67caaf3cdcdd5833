#include "backend/metrics/ingest/remote_write_encoder.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <bit>

#include "backend/metrics/ingest/wire_cursor.h"

namespace carme::metrics {
namespace {

using google::protobuf::io::CodedOutputStream;

// prometheus/remote.proto
constexpr uint8_t kTimeSeriesTag = WireTag(1, kWireBytes);
constexpr uint8_t kLabelTag = WireTag(1, kWireBytes);
constexpr uint8_t kLabelNameTag = WireTag(1, kWireBytes);
constexpr uint8_t kLabelValueTag = WireTag(2, kWireBytes);
constexpr uint8_t kSampleTag = WireTag(2, kWireBytes);
constexpr uint8_t kSampleValueTag = WireTag(1, kWireFixed64);
constexpr uint8_t kSampleTimeTag = WireTag(2, kWireVarint);

constexpr size_t kMaxVarint = 10;

void AppendHead(uint8_t tag, size_t size, std::string* out) {
  uint8_t head[1 + kMaxVarint];
  head[0] = tag;
  const uint8_t* const end =
      CodedOutputStream::WriteVarint64ToArray(size, head + 1);
  out->append(reinterpret_cast<const char*>(head),
              static_cast<size_t>(end - head));
}

void AppendText(uint8_t tag, std::string_view text, std::string* out) {
  AppendHead(tag, text.size(), out);
  out->append(text);
}

void AppendLabel(const SampleLabel& label, std::string* out) {
  const auto field = [](std::string_view text) {
    return 1 + CodedOutputStream::VarintSize64(text.size()) + text.size();
  };
  AppendHead(kLabelTag, field(label.name) + field(label.value), out);
  AppendText(kLabelNameTag, label.name, out);
  AppendText(kLabelValueTag, label.value, out);
}

}  // namespace

std::string_view RemoteWriteEncoder::BeginSeries(
    std::string_view name, std::string_view job, std::string_view node,
    absl::Span<const SampleLabel> labels) {
  std::array<SampleLabel, kMaxLabels + 3> sorted = {
      {{"__name__", name}, {"job", job}, {"node", node}}};
  auto end = sorted.begin() + 3;
  for (const SampleLabel& label : labels) {
    if (!label.value.empty() && end != sorted.end()) *end++ = label;
  }
  std::sort(sorted.begin(), end,
            [](const auto& a, const auto& b) { return a.name < b.name; });
  series_.clear();
  for (auto label = sorted.begin(); label != end; ++label) {
    AppendLabel(*label, &series_);
  }
  labels_bytes_ = series_.size();
  return series_;
}

void RemoteWriteEncoder::AddSample(int64_t time_ms, double value) {
  uint8_t sample[2 + 1 + sizeof value + 1 + kMaxVarint];
  uint8_t* at = sample + 2;
  *at++ = kSampleValueTag;
  at = CodedOutputStream::WriteLittleEndian64ToArray(
      std::bit_cast<uint64_t>(value), at);
  *at++ = kSampleTimeTag;
  at = CodedOutputStream::WriteVarint64ToArray(static_cast<uint64_t>(time_ms),
                                               at);
  sample[0] = kSampleTag;
  sample[1] = static_cast<uint8_t>(at - sample - 2);  // less than 128
  series_.append(reinterpret_cast<const char*>(sample),
                 static_cast<size_t>(at - sample));
}

void RemoteWriteEncoder::EndSeries() {
  if (series_.size() == labels_bytes_) return;
  AppendText(kTimeSeriesTag, series_, &bytes_);
}

void RemoteWriteEncoder::Clear() {
  bytes_.clear();
  series_.clear();
  labels_bytes_ = 0;
}

}  // namespace carme::metrics
