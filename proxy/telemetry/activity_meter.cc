#include "proxy/telemetry/activity_meter.h"

namespace carme::proxy {
namespace {

constexpr int64_t kAddMs = 2000;

bool HasChanges(const ActivityDelta& delta) {
  return delta.opened != 0 || delta.received_bytes != 0 ||
         delta.sent_bytes != 0;
}

}  // namespace

ActivityMeter::ActivityMeter(net::EventLoop& loop,
                             ActivityAggregator& aggregator)
    : Timer(loop.timers()), aggregator_(aggregator) {}

ActivityMeter::~ActivityMeter() = default;

ActivityMeter::Scope& ActivityMeter::Scope::operator=(Scope&& other) noexcept {
  if (this == &other) return *this;
  End();
  meter_ = std::exchange(other.meter_, nullptr);
  count_ = other.count_;
  return *this;
}

void ActivityMeter::Scope::End() {
  if (meter_ == nullptr) return;
  meter_ = nullptr;
  --count_->open;
  --count_->delta.opened;
}

ActivityMeter::Scope ActivityMeter::Begin(const JobId& job) {
  std::unique_ptr<Count>& count = counts_[job.value()];
  if (count == nullptr) {
    count = std::make_unique<Count>();
    count->job = job;
  }
  ++count->open;
  ++count->delta.opened;
  if (!std::exchange(armed_, true)) ArmTimer(kAddMs);
  return Scope(this, count.get());
}

void ActivityMeter::OnDeadline() {
  absl::erase_if(counts_, [&](auto& each) {
    Count& count = *each.second;
    if (HasChanges(count.delta)) {
      aggregator_.Add(count.job, std::exchange(count.delta, ActivityDelta()));
    }
    return count.open == 0;
  });
  armed_ = !counts_.empty();
  if (armed_) ArmTimer(kAddMs);
}

}  // namespace carme::proxy
