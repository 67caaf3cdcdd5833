#include "slurm-hooks/agent/metrics/node_queue.h"

#include <utility>

namespace carme::agent {

void NodeQueue::DropOldest() {
  const Waiting& oldest = waiting_.front();
  Gap& gap = gaps_[oldest.samples.node()];
  gap.missed += oldest.samples.missed();
  gap.dropped +=
      oldest.samples.dropped() + sampler::CountSamples(oldest.samples);
  bytes_ -= oldest.bytes;
  waiting_.pop_front();
}

void NodeQueue::Add(carme::v1::NodeSamples samples, int64_t now_ms) {
  const size_t bytes = samples.ByteSizeLong();
  waiting_.push_back({std::move(samples), bytes, now_ms});
  bytes_ += bytes;
  while (bytes_ > max_bytes_) DropOldest();
}

void NodeQueue::MoveTo(carme::v1::WriteSamplesRequest* request,
                       sampler::BatchLimits* limits, int64_t now_ms) {
  while (!waiting_.empty()) {
    Waiting& next = waiting_.front();
    const uint64_t samples = sampler::CountSamples(next.samples);
    const auto series = static_cast<size_t>(next.samples.series_size());
    // With room for the length of the message.
    const size_t bytes = next.bytes + 32;
    if (bytes > limits->max_bytes || series > limits->max_series ||
        samples > limits->max_samples) {
      return;
    }
    limits->max_bytes -= bytes;
    limits->max_series -= series;
    limits->max_samples -= samples;
    bytes_ -= next.bytes;
    const auto gap = gaps_.extract(next.samples.node());
    if (!gap.empty()) {
      next.samples.set_missed(next.samples.missed() + gap.mapped().missed);
      next.samples.set_dropped(next.samples.dropped() + gap.mapped().dropped);
    }
    next.samples.set_sent_at_ms(next.samples.sent_at_ms() + now_ms -
                                next.received_ms);
    *request->add_nodes() = std::move(next.samples);
    waiting_.pop_front();
  }
}

}  // namespace carme::agent
