#include "backend/metrics/ingest/sample_request_view.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/metrics/ingest/messages.h"
#include "backend/metrics/ingest/wire_cursor.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

// samples.proto
constexpr int kNodeDepth = WireCursor::kMaxDepth - 1;
constexpr int kSeriesDepth = kNodeDepth - 1;
constexpr int kLabelDepth = kSeriesDepth - 1;

absl::Status Malformed() { return MakeError(ingest_messages::kMalformed); }

// What is more than `max` is not counted.
absl::Status Exceeded(const ErrorTemplate& limit, size_t max) {
  return MakeError(limit, {{"max", static_cast<uint64_t>(max)}});
}

template <typename Message>
absl::Status ReadMessage(WireCursor* in, const ErrorTemplate& limit, size_t max,
                         size_t* count, std::vector<Message>* messages) {
  std::string_view bytes;
  if (!in->ReadBytes(&bytes)) return Malformed();
  if (++*count > max) return Exceeded(limit, max);
  if (!messages->emplace_back().ParseFromArray(
          bytes.data(), static_cast<int>(bytes.size()))) {
    return Malformed();
  }
  return absl::OkStatus();
}

}  // namespace

void SampleRequestView::Clear() {
  job_id_ = {};
  nodes_.clear();
  series_.clear();
  labels_.clear();
  times_ms_.clear();
  values_.clear();
  sources_ = 0;
  events_ = 0;
}

absl::Status SampleRequestView::Read(std::string_view bytes) {
  Clear();
  WireCursor in(bytes);
  while (!in.done()) {
    uint32_t tag = 0;
    std::string_view node;
    if (!in.ReadTag(&tag)) return Malformed();
    switch (tag) {
      case WireTag(1, kWireBytes):
        if (!in.ReadText(&job_id_)) return Malformed();
        break;
      case WireTag(2, kWireBytes):
        if (!in.ReadBytes(&node)) return Malformed();
        RETURN_IF_ERROR(ReadNode(node));
        break;
      default:
        if (!in.Skip(tag, WireCursor::kMaxDepth)) return Malformed();
    }
  }
  return absl::OkStatus();
}

absl::Status SampleRequestView::ReadNode(std::string_view bytes) {
  if (nodes_.size() >= size_t{kMaxRequestNodes}) {
    return Exceeded(ingest_messages::kTooManyNodes, kMaxRequestNodes);
  }
  NodeSamplesView& node = nodes_.emplace_back();
  node.series.begin = series_.size();
  WireCursor in(bytes);
  while (!in.done()) {
    uint32_t tag = 0;
    uint64_t number = 0;
    std::string_view series;
    if (!in.ReadTag(&tag)) return Malformed();
    switch (tag) {
      case WireTag(1, kWireBytes):
        if (!in.ReadText(&node.node)) return Malformed();
        break;
      case WireTag(2, kWireVarint):
        if (!in.ReadVarint(&number)) return Malformed();
        node.sent_at_ms = static_cast<int64_t>(number);
        break;
      case WireTag(3, kWireBytes):
        RETURN_IF_ERROR(ReadMessage(&in, ingest_messages::kTooManySources,
                                    kMaxRequestSources, &sources_,
                                    &node.sources));
        break;
      case WireTag(4, kWireBytes):
        if (!in.ReadBytes(&series)) return Malformed();
        RETURN_IF_ERROR(ReadSeries(series));
        break;
      case WireTag(5, kWireVarint):
        if (!in.ReadVarint(&node.missed)) return Malformed();
        break;
      case WireTag(6, kWireVarint):
        if (!in.ReadVarint(&node.dropped)) return Malformed();
        break;
      case WireTag(7, kWireBytes):
        RETURN_IF_ERROR(ReadMessage(&in, ingest_messages::kTooManyEvents,
                                    kMaxRequestEvents, &events_, &node.events));
        break;
      default:
        if (!in.Skip(tag, kNodeDepth)) return Malformed();
    }
  }
  node.series.size = series_.size() - node.series.begin;
  if (kSlurmNameRule.Allows(node.node)) return absl::OkStatus();
  return MakeError(ingest_messages::kInvalidNode,
                   {{"index", static_cast<uint64_t>(nodes_.size() - 1)}});
}

absl::Status SampleRequestView::ReadSeries(std::string_view bytes) {
  if (series_.size() >= size_t{kMaxRequestSeries}) {
    return Exceeded(ingest_messages::kTooManySeries, kMaxRequestSeries);
  }
  SeriesView& series = series_.emplace_back();
  series.labels.begin = labels_.size();
  series.times_ms.begin = times_ms_.size();
  series.values.begin = values_.size();
  WireCursor in(bytes);
  while (!in.done()) {
    uint32_t tag = 0;
    uint64_t number = 0;
    std::string_view part;
    if (!in.ReadTag(&tag)) return Malformed();
    switch (tag) {
      case WireTag(1, kWireBytes):
        if (!in.ReadText(&series.name)) return Malformed();
        break;
      case WireTag(2, kWireBytes):
        if (!in.ReadBytes(&part)) return Malformed();
        RETURN_IF_ERROR(ReadLabel(part, &series));
        break;
      case WireTag(3, kWireVarint):
        if (!in.ReadVarint(&number)) return Malformed();
        series.source = static_cast<uint32_t>(number);
        break;
      case WireTag(4, kWireBytes):
        if (!in.ReadBytes(&part)) return Malformed();
        RETURN_IF_ERROR(ReadTimes(part));
        break;
      case WireTag(4, kWireVarint):
        if (!in.ReadVarint(&number)) return Malformed();
        RETURN_IF_ERROR(AddTime(number));
        break;
      case WireTag(5, kWireBytes):
        if (!in.ReadBytes(&part)) return Malformed();
        RETURN_IF_ERROR(ReadValues(part));
        break;
      case WireTag(5, kWireFixed64):
        if (!in.ReadFixed64(&number)) return Malformed();
        RETURN_IF_ERROR(AddValue(number));
        break;
      default:
        if (!in.Skip(tag, kSeriesDepth)) return Malformed();
    }
  }
  series.times_ms.size = times_ms_.size() - series.times_ms.begin;
  series.values.size = values_.size() - series.values.begin;
  return absl::OkStatus();
}

// An entry of a map: the last one of a name counts.
absl::Status SampleRequestView::ReadLabel(std::string_view bytes,
                                          SeriesView* series) {
  SampleLabel label;
  WireCursor in(bytes);
  while (!in.done()) {
    uint32_t tag = 0;
    if (!in.ReadTag(&tag)) return Malformed();
    bool read = false;
    if (tag == WireTag(1, kWireBytes)) {
      read = in.ReadText(&label.name);
    } else if (tag == WireTag(2, kWireBytes)) {
      read = in.ReadText(&label.value);
    } else {
      read = in.Skip(tag, kLabelDepth);
    }
    if (!read) return Malformed();
  }
  const auto known = absl::MakeSpan(labels_).subspan(series->labels.begin);
  const auto same = std::find_if(
      known.begin(), known.end(),
      [&](const SampleLabel& one) { return one.name == label.name; });
  if (same != known.end()) {
    same->value = label.value;
  } else if (series->labels.size <= size_t{kMaxLabels}) {
    labels_.push_back(label);
    ++series->labels.size;
  }
  return absl::OkStatus();
}

absl::Status SampleRequestView::ReadTimes(std::string_view bytes) {
  WireCursor in(bytes);
  while (!in.done()) {
    uint64_t encoded = 0;
    if (!in.ReadVarint(&encoded)) return Malformed();
    RETURN_IF_ERROR(AddTime(encoded));
  }
  return absl::OkStatus();
}

absl::Status SampleRequestView::ReadValues(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  const size_t count = bytes.size() / sizeof(double);
  if (bytes.size() % sizeof(double) != 0) return Malformed();
  if (values_.size() + count > size_t{kMaxRequestSamples}) {
    return Exceeded(ingest_messages::kTooManySamples, kMaxRequestSamples);
  }
  if (count == 0) return absl::OkStatus();
  const size_t before = values_.size();
  values_.resize(before + count);
  std::memcpy(&values_[before], bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::Status SampleRequestView::AddTime(uint64_t encoded) {
  if (times_ms_.size() >= size_t{kMaxRequestSamples}) {
    return Exceeded(ingest_messages::kTooManySamples, kMaxRequestSamples);
  }
  // Zigzag.
  times_ms_.push_back(
      static_cast<int64_t>((encoded >> 1) ^ (~(encoded & 1) + 1)));
  return absl::OkStatus();
}

absl::Status SampleRequestView::AddValue(uint64_t bits) {
  if (values_.size() >= size_t{kMaxRequestSamples}) {
    return Exceeded(ingest_messages::kTooManySamples, kMaxRequestSamples);
  }
  values_.push_back(std::bit_cast<double>(bits));
  return absl::OkStatus();
}

uint64_t SampleRequestView::RemoveNodes(const std::set<std::string>& names) {
  uint64_t samples = 0;
  std::erase_if(nodes_, [&](const NodeSamplesView& node) {
    if (!names.contains(std::string(node.node))) return false;
    for (const SeriesView& one : series(node)) samples += one.values.size;
    return true;
  });
  return samples;
}

void SampleRequestView::CopyTo(const SeriesView& one,
                               v1::SampleSeries* message) const {
  message->set_name(one.name.data(), one.name.size());
  for (const SampleLabel& label : labels(one)) {
    (*message->mutable_labels())[std::string(label.name)] =
        std::string(label.value);
  }
  message->set_source(one.source);
  const auto times = times_ms(one);
  message->mutable_times_ms()->Add(times.begin(), times.end());
  const auto numbers = values(one);
  message->mutable_values()->Add(numbers.begin(), numbers.end());
}

}  // namespace carme::metrics
