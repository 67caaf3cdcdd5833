#include "backend/metrics/query/live_samples.h"

#include <utility>

namespace carme::metrics {

LiveSubscription::~LiveSubscription() {
  absl::MutexLock lock(&samples_->mutex_);
  const auto [begin, end] = samples_->readers_.equal_range(job_);
  for (auto row = begin; row != end; ++row) {
    if (row->second != this) continue;
    samples_->readers_.erase(row);
    return;
  }
}

void LiveSubscription::Add(const SampleRequestView& request) {
  for (const NodeSamplesView& node : request.nodes()) {
    v1::NodeSamples wanted;
    wanted.set_node(node.node.data(), node.node.size());
    wanted.set_sent_at_ms(node.sent_at_ms);
    for (const SeriesView& series : request.series(node)) {
      if (!request.IsValid(series)) continue;
      if (names_.empty() || names_.contains(std::string(series.name))) {
        request.CopyTo(series, wanted.add_series());
      }
    }
    wanted.mutable_events()->Add(node.events.begin(), node.events.end());
    if (wanted.series().empty() && wanted.events().empty()) continue;
    absl::MutexLock lock(&mutex_);
    waiting_.push_back(std::move(wanted));
    if (waiting_.size() <= kMaxWaiting) continue;
    waiting_.pop_front();
    ++skipped_;
  }
}

v1::WatchJobMetricsResponse LiveSubscription::Wait(absl::Duration timeout) {
  v1::WatchJobMetricsResponse response;
  absl::MutexLock lock(&mutex_);
  const auto has_samples = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return !waiting_.empty();
  };
  mutex_.AwaitWithTimeout(absl::Condition(&has_samples), timeout);
  for (v1::NodeSamples& node : waiting_) {
    *response.add_nodes() = std::move(node);
  }
  waiting_.clear();
  response.set_skipped(std::exchange(skipped_, 0));
  return response;
}

void LiveSamples::OnSamples(const SampleRequestView& request) {
  absl::MutexLock lock(&mutex_);
  const auto [begin, end] = readers_.equal_range(std::string(request.job_id()));
  for (auto row = begin; row != end; ++row) row->second->Add(request);
}

std::unique_ptr<LiveSubscription> LiveSamples::Subscribe(
    const std::string& job, std::set<std::string> names) {
  std::unique_ptr<LiveSubscription> reader(
      new LiveSubscription(this, job, std::move(names)));
  absl::MutexLock lock(&mutex_);
  readers_.emplace(job, reader.get());
  return reader;
}

}  // namespace carme::metrics
