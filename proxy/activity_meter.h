// Counts how jobs are used, in one loop.
#ifndef CARME_PROXY_ACTIVITY_METER_H_
#define CARME_PROXY_ACTIVITY_METER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "common/net/timer_wheel.h"
#include "proxy/activity_book.h"

namespace carme::proxy {

// Thread rule: its loop's thread. Outlives its uses.
class ActivityMeter : private net::Timer {
  struct Count {
    JobId job;
    int open = 0;
    ActivityNews news{};
  };

 public:
  // A websocket, or a request and its answer, from here to its destruction.
  // Moves, never copies.
  class Use {
   public:
    Use() = default;  // of nothing
    Use(Use&& other) noexcept
        : meter_(std::exchange(other.meter_, nullptr)), count_(other.count_) {}
    Use& operator=(Use&& other) noexcept;
    ~Use() { End(); }

    void Received(uint64_t bytes) {
      if (meter_ != nullptr) count_->news.received_bytes += bytes;
    }
    void Sent(uint64_t bytes) {
      if (meter_ != nullptr) count_->news.sent_bytes += bytes;
    }
    // A person did something.
    void Input() {
      if (meter_ != nullptr) count_->news.input_ms = SteadyMs();
    }

   private:
    friend class ActivityMeter;
    Use(ActivityMeter* meter, Count* count) : meter_(meter), count_(count) {}
    void End();

    ActivityMeter* meter_ = nullptr;
    Count* count_ = nullptr;
  };

  // `book` must outlive this.
  ActivityMeter(net::EventLoop& loop, ActivityBook& book);
  ~ActivityMeter() override;

  Use Begin(const JobId& job);

 private:
  void OnDeadline() override;

  ActivityBook& book_;
  bool armed_ = false;
  absl::flat_hash_map<std::string, std::unique_ptr<Count>> counts_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ACTIVITY_METER_H_
