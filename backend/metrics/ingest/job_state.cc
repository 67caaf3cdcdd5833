#include "backend/metrics/ingest/job_state.h"

#include "backend/metrics/ingest/sample_rules.h"

namespace carme::metrics {
namespace {

constexpr size_t kMaxSourceBytes = 256;

bool IsValidSource(const v1::SampleSource& source) {
  return IsSeriesName(source.name()) &&
         source.version().size() <= kMaxSourceBytes &&
         source.library().size() <= kMaxSourceBytes;
}

}  // namespace

bool JobState::Find(uint64_t series, size_t max_series,
                    int64_t* stored_until_ms) {
  absl::MutexLock lock(&mutex_);
  const auto found = stored_until_ms_.find(series);
  if (found != stored_until_ms_.end()) {
    *stored_until_ms = found->second;
    return true;
  }
  if (stored_until_ms_.size() >= max_series) return false;
  stored_until_ms_.emplace(series, 0);
  *stored_until_ms = 0;
  return true;
}

void JobState::SetStored(absl::Span<const StoredSeries> stored) {
  absl::MutexLock lock(&mutex_);
  for (const StoredSeries& one : stored) {
    int64_t& until_ms = stored_until_ms_[one.series];
    if (one.until_ms > until_ms) until_ms = one.until_ms;
  }
}

void JobState::NoteSource(std::string_view node, uint32_t source,
                          std::string_view series) {
  absl::MutexLock lock(&mutex_);
  const std::pair key(std::string(node), source);
  if (names_.size() >= kMaxSources && !names_.contains(key)) return;
  std::set<std::string>& names = names_[key];
  if (names.size() < kMaxNames) names.emplace(series);
}

void JobState::Note(const NodeSamplesView& node, uint64_t stored,
                    uint64_t rejected, int64_t clock_offset_ms) {
  const std::string name(node.node);
  absl::MutexLock lock(&mutex_);
  changed_ = true;
  if (quality_.size() < kMaxNodes || quality_.contains(name)) {
    v1::NodeQuality& quality = quality_[name];
    quality.set_node(name);
    quality.set_received(quality.received() + stored);
    quality.set_missed(quality.missed() + node.missed);
    quality.set_dropped(quality.dropped() + node.dropped);
    quality.set_rejected(quality.rejected() + rejected);
    quality.set_clock_offset_ms(clock_offset_ms);
  }
  for (const v1::SampleSource& source : node.sources) {
    const std::pair key(name, source.id());
    if (!IsValidSource(source)) continue;
    if (sources_.size() >= kMaxSources && !sources_.contains(key)) continue;
    sources_[key] = source;
  }
  for (const v1::NodeEvent& event : node.events) {
    if (!IsValidEvent(event)) continue;
    v1::NodeEvent noted = event;
    (*noted.mutable_labels())["node"] = name;
    events_.push_back(std::move(noted));
    if (events_.size() > kMaxEvents) events_.pop_front();
  }
}

void JobState::Rate(const archive::v1::FindingRating& rating) {
  absl::MutexLock lock(&mutex_);
  ratings_[rating.rule()] = rating;
  changed_ = true;
}

archive::v1::JobNotes JobState::Notes() const {
  absl::MutexLock lock(&mutex_);
  archive::v1::JobNotes notes;
  for (const auto& [key, source] : sources_) {
    archive::v1::ArchivedSource* row = notes.add_sources();
    row->set_node(key.first);
    *row->mutable_source() = source;
    const auto names = names_.find(key);
    if (names == names_.end()) continue;
    for (const std::string& name : names->second) row->add_series(name);
  }
  for (const v1::NodeEvent& event : events_) *notes.add_events() = event;
  for (const auto& [node, quality] : quality_) *notes.add_quality() = quality;
  for (const auto& [rule, rating] : ratings_) *notes.add_ratings() = rating;
  return notes;
}

void JobState::Restore(const archive::v1::JobNotes& notes) {
  absl::MutexLock lock(&mutex_);
  for (const archive::v1::ArchivedSource& row : notes.sources()) {
    const std::pair key(row.node(), row.source().id());
    sources_[key] = row.source();
    names_[key].insert(row.series().begin(), row.series().end());
  }
  events_.assign(notes.events().begin(), notes.events().end());
  for (const v1::NodeQuality& row : notes.quality()) quality_[row.node()] = row;
  for (const archive::v1::FindingRating& row : notes.ratings()) {
    ratings_[row.rule()] = row;
  }
}

bool JobState::TakeChanged() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(changed_, false);
}

size_t JobState::series() const {
  absl::MutexLock lock(&mutex_);
  return stored_until_ms_.size();
}

absl::Time JobState::used_at() const {
  absl::MutexLock lock(&mutex_);
  return used_at_;
}

}  // namespace carme::metrics
