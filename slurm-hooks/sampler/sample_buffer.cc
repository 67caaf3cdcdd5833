#include "slurm-hooks/sampler/sample_buffer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/printable.h"

namespace carme::sampler {
namespace {

// Of samples.proto.
constexpr size_t kMaxLabelBytes = 128;
constexpr size_t kMaxEventBytes = 400;
constexpr size_t kMaxLabels = 8;
// A value and the difference of two times.
constexpr size_t kSampleBytes = 13;
constexpr size_t kEventBytes = 1024;

}  // namespace

SampleBuffer::SampleBuffer(std::string node)
    : SampleBuffer(std::move(node), Limits()) {}

SampleBuffer::SampleBuffer(std::string node, Limits limits)
    : node_(std::move(node)), limits_(limits) {}

uint32_t SampleBuffer::AddSource(const std::string& name,
                                 const std::string& version,
                                 const std::string& library) {
  absl::MutexLock lock(&mutex_);
  carme::v1::SampleSource source;
  source.set_id(static_cast<uint32_t>(sources_.size()) + 1);
  source.set_name(name);
  source.set_version(Readable(version, kMaxLabelBytes));
  source.set_library(Readable(library, kMaxLabelBytes));
  sources_.push_back(std::move(source));
  return sources_.back().id();
}

void SampleBuffer::SetDead(uint32_t source, int64_t time_ms) {
  absl::MutexLock lock(&mutex_);
  if (source == 0 || source > sources_.size()) return;
  carme::v1::SampleSource& dead = sources_[source - 1];
  if (dead.dead()) return;
  dead.set_dead(true);
  Push(time_ms, "source_dead",
       "the source \"" + dead.name() + "\" stopped answering",
       {{"source", dead.name()}});
}

SampleBuffer::SeriesId SampleBuffer::AddSeries(uint32_t source,
                                               std::string_view name,
                                               const Labels& labels) {
  absl::MutexLock lock(&mutex_);
  if (labels.size() > kMaxLabels) return kNoSeries;
  Series added;
  added.name = std::string(name);
  added.source = source;
  std::string key = added.name;
  for (const auto& [label, value] : labels) {
    std::string text = Readable(value, kMaxLabelBytes);
    key.append("\n").append(label).append("=").append(text);
    added.bytes += label.size() + text.size() + 6;
    added.labels.emplace(label, std::move(text));
  }
  added.bytes += added.name.size() + 16;
  const auto found = ids_.find(key);
  if (found != ids_.end()) {
    series_[found->second].ended = false;
    return found->second;
  }
  if (ids_.size() >= limits_.max_series) return kNoSeries;
  SeriesId id = static_cast<SeriesId>(series_.size());
  if (free_.empty()) {
    series_.push_back(std::move(added));
  } else {
    id = free_.back();
    free_.pop_back();
    series_[id] = std::move(added);
  }
  ids_.emplace(std::move(key), id);
  return id;
}

void SampleBuffer::EndSeries(SeriesId series) {
  absl::MutexLock lock(&mutex_);
  if (series >= series_.size() || series_[series].free) return;
  series_[series].ended = true;
  if (series_[series].samples.empty()) Erase(&series_[series]);
}

void SampleBuffer::Erase(Series* series) {
  const auto id = static_cast<SeriesId>(series - series_.data());
  std::erase_if(ids_, [id](const auto& entry) { return entry.second == id; });
  series_[id] = Series();
  series_[id].free = true;
  free_.push_back(id);
}

void SampleBuffer::Add(SeriesId series, int64_t time_ms, double value) {
  absl::MutexLock lock(&mutex_);
  if (series >= series_.size() || series_[series].free ||
      !std::isfinite(value)) {
    ++dropped_;
    return;
  }
  std::vector<Sample>& samples = series_[series].samples;
  if (!samples.empty() && samples.back().time_ms >= time_ms) {
    ++dropped_;
    return;
  }
  if (sample_count_ >= limits_.max_samples) {
    // A tenth at once, because each time all series are visited.
    const int64_t oldest = OldestTime();
    DropBefore(oldest + std::max<int64_t>(1, (time_ms - oldest) / 10));
  }
  samples.push_back({time_ms, value});
  ++sample_count_;
  ++added_count_;
}

int64_t SampleBuffer::OldestTime() const {
  int64_t oldest = std::numeric_limits<int64_t>::max();
  for (const Series& one : series_) {
    if (!one.samples.empty()) {
      oldest = std::min(oldest, one.samples.front().time_ms);
    }
  }
  return oldest;
}

void SampleBuffer::DropBefore(int64_t time_ms) {
  for (Series& one : series_) {
    const auto kept = std::find_if(
        one.samples.begin(), one.samples.end(),
        [time_ms](const Sample& sample) { return sample.time_ms >= time_ms; });
    const auto count = static_cast<size_t>(kept - one.samples.begin());
    one.samples.erase(one.samples.begin(), kept);
    sample_count_ -= count;
    dropped_ += count;
    if (one.ended && one.samples.empty()) Erase(&one);
  }
}

void SampleBuffer::AddEvent(int64_t time_ms, std::string_view kind,
                            std::string_view text, const Labels& labels) {
  absl::MutexLock lock(&mutex_);
  Push(time_ms, kind, text, labels);
}

void SampleBuffer::Push(int64_t time_ms, std::string_view kind,
                        std::string_view text, const Labels& labels) {
  if (events_.size() >= limits_.max_events) events_.pop_front();
  carme::v1::NodeEvent event;
  event.set_time_ms(time_ms);
  event.set_kind(std::string(kind));
  event.set_text(Readable(text, kMaxEventBytes));
  for (const auto& [label, value] : labels) {
    (*event.mutable_labels())[label] = Readable(value, kMaxLabelBytes);
  }
  events_.push_back(std::move(event));
}

void SampleBuffer::CountMissed(uint64_t samples) {
  absl::MutexLock lock(&mutex_);
  missed_ += samples;
}

void SampleBuffer::CountDropped(uint64_t samples) {
  absl::MutexLock lock(&mutex_);
  dropped_ += samples;
}

std::optional<carme::v1::NodeSamples> SampleBuffer::Take(
    int64_t now_ms, const BatchLimits& limits) {
  absl::MutexLock lock(&mutex_);
  DropBefore(now_ms - absl::ToInt64Milliseconds(limits_.max_age));
  if (sample_count_ == 0 && events_.empty() && missed_ == 0 && dropped_ == 0) {
    return std::nullopt;
  }
  carme::v1::NodeSamples taken;
  taken.set_node(node_);
  taken.set_sent_at_ms(now_ms);
  size_t bytes = node_.size() + 64;
  for (const carme::v1::SampleSource& source : sources_) {
    *taken.add_sources() = source;
    bytes += source.ByteSizeLong() + 4;
  }
  taken.set_missed(std::exchange(missed_, 0));
  taken.set_dropped(std::exchange(dropped_, 0));
  while (!events_.empty() && bytes + kEventBytes < limits.max_bytes) {
    bytes += events_.front().ByteSizeLong() + 4;
    *taken.add_events() = std::move(events_.front());
    events_.pop_front();
  }
  size_t samples = 0;
  size_t series = 0;
  const size_t count = series_.size();
  for (size_t i = 0; i < count && series < limits.max_series; ++i) {
    const size_t at = (next_ + i) % count;
    Series& one = series_[at];
    if (one.samples.empty()) continue;
    const size_t room_bytes =
        limits.max_bytes > bytes + one.bytes + 16
            ? (limits.max_bytes - bytes - one.bytes - 16) / kSampleBytes
            : 0;
    const size_t room = std::min(
        {one.samples.size(), room_bytes, limits.max_samples - samples});
    if (room == 0) {
      next_ = at;
      break;
    }
    carme::v1::SampleSeries* const out = taken.add_series();
    out->set_name(one.name);
    out->mutable_labels()->insert(one.labels.begin(), one.labels.end());
    out->set_source(one.source);
    int64_t last = 0;
    for (size_t k = 0; k < room; ++k) {
      out->add_times_ms(one.samples[k].time_ms - last);
      out->add_values(one.samples[k].value);
      last = one.samples[k].time_ms;
    }
    one.samples.erase(one.samples.begin(),
                      one.samples.begin() + static_cast<ptrdiff_t>(room));
    bytes += one.bytes + 16 + room * kSampleBytes;
    samples += room;
    sample_count_ -= room;
    ++series;
    if (one.ended && one.samples.empty()) Erase(&one);
  }
  return taken;
}

void SampleBuffer::GiveUp(const carme::v1::NodeSamples& samples) {
  const uint64_t count = CountSamples(samples);
  absl::MutexLock lock(&mutex_);
  missed_ += samples.missed();
  dropped_ += samples.dropped() + count;
}

size_t SampleBuffer::sample_count() const {
  absl::MutexLock lock(&mutex_);
  return sample_count_;
}

uint64_t SampleBuffer::added_count() const {
  absl::MutexLock lock(&mutex_);
  return added_count_;
}

uint64_t CountSamples(const carme::v1::NodeSamples& samples) {
  uint64_t count = 0;
  for (const carme::v1::SampleSeries& series : samples.series()) {
    count += static_cast<uint64_t>(series.values_size());
  }
  return count;
}

}  // namespace carme::sampler
