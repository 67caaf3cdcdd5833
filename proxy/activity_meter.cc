#include "proxy/activity_meter.h"

namespace carme::proxy {
namespace {

constexpr int64_t kAddMs = 2000;

bool IsNews(const ActivityNews& news) {
  return news.opened != 0 || news.received_bytes != 0 || news.sent_bytes != 0 ||
         news.input_ms.has_value();
}

}  // namespace

ActivityMeter::ActivityMeter(net::EventLoop& loop, ActivityBook& book)
    : Timer(loop.timers()), book_(book) {}

ActivityMeter::~ActivityMeter() = default;

ActivityMeter::Use& ActivityMeter::Use::operator=(Use&& other) noexcept {
  if (this == &other) return *this;
  End();
  meter_ = std::exchange(other.meter_, nullptr);
  count_ = other.count_;
  return *this;
}

void ActivityMeter::Use::End() {
  if (meter_ == nullptr) return;
  meter_ = nullptr;
  --count_->open;
  --count_->news.opened;
}

ActivityMeter::Use ActivityMeter::Begin(const JobId& job) {
  std::unique_ptr<Count>& count = counts_[job.value()];
  if (count == nullptr) {
    count = std::make_unique<Count>();
    count->job = job;
  }
  ++count->open;
  ++count->news.opened;
  if (!std::exchange(armed_, true)) ArmTimer(kAddMs);
  return Use(this, count.get());
}

void ActivityMeter::OnDeadline() {
  absl::erase_if(counts_, [&](auto& each) {
    Count& count = *each.second;
    if (IsNews(count.news)) {
      book_.Add(count.job, std::exchange(count.news, ActivityNews()));
    }
    return count.open == 0;
  });
  armed_ = !counts_.empty();
  if (armed_) ArmTimer(kAddMs);
}

}  // namespace carme::proxy
