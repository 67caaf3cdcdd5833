#include "backend/metrics/ingest/remote_write_encoder.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

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

// Of a tag and a number.
constexpr size_t kMaxHead = 1 + 10;
// More than 18 only for times that carme-metrics does not accept.
constexpr size_t kMaxSample = 2 + 1 + sizeof(double) + kMaxHead;

uint8_t* WriteHead(uint8_t tag, size_t size, uint8_t* out) {
  *out++ = tag;
  return CodedOutputStream::WriteVarint64ToArray(size, out);
}

uint8_t* WriteText(uint8_t tag, std::string_view text, uint8_t* out) {
  out = WriteHead(tag, text.size(), out);
  // Most are short.
  return std::copy(text.begin(), text.end(), out);
}

uint8_t* WriteLabel(const SampleLabel& label, uint8_t* out) {
  const auto field = [](std::string_view text) {
    return 1 + CodedOutputStream::VarintSize64(text.size()) + text.size();
  };
  out = WriteHead(kLabelTag, field(label.name) + field(label.value), out);
  out = WriteText(kLabelNameTag, label.name, out);
  return WriteText(kLabelValueTag, label.value, out);
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
  size_t max_bytes = 0;
  for (auto label = sorted.begin(); label != end; ++label) {
    max_bytes += 3 * kMaxHead + label->name.size() + label->value.size();
  }
  uint8_t* const begin = Room(max_bytes);
  uint8_t* out = begin;
  for (auto label = sorted.begin(); label != end; ++label) {
    out = WriteLabel(*label, out);
  }
  size_ = static_cast<size_t>(out - begin);
  labels_size_ = size_;
  return std::string_view(reinterpret_cast<const char*>(begin), size_);
}

uint8_t* RemoteWriteEncoder::Room(size_t bytes) {
  if (series_.size() < bytes) series_.resize(2 * bytes);
  return series_.data();
}

void RemoteWriteEncoder::AddSample(int64_t time_ms, double value) {
  uint8_t* const sample = Room(size_ + kMaxSample) + size_;
  uint8_t* out = sample + 2;
  *out++ = kSampleValueTag;
  out = CodedOutputStream::WriteLittleEndian64ToArray(
      std::bit_cast<uint64_t>(value), out);
  out = WriteHead(kSampleTimeTag, static_cast<uint64_t>(time_ms), out);
  sample[0] = kSampleTag;
  sample[1] = static_cast<uint8_t>(out - sample - 2);  // less than 128
  size_ += static_cast<size_t>(out - sample);
}

void RemoteWriteEncoder::EndSeries() {
  if (size_ == labels_size_) return;
  uint8_t head[kMaxHead];
  const uint8_t* const end = WriteHead(kTimeSeriesTag, size_, head);
  bytes_.append(reinterpret_cast<const char*>(head),
                static_cast<size_t>(end - head));
  bytes_.append(reinterpret_cast<const char*>(series_.data()), size_);
}

void RemoteWriteEncoder::Clear() {
  bytes_.clear();
  size_ = 0;
  labels_size_ = 0;
}

}  // namespace carme::metrics
