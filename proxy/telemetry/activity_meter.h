// Counts the connections and bytes of jobs in one loop. The agent of a job
// detects input of users.
#ifndef CARME_PROXY_TELEMETRY_ACTIVITY_METER_H_
#define CARME_PROXY_TELEMETRY_ACTIVITY_METER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "common/net/timer_wheel.h"
#include "proxy/telemetry/activity_aggregator.h"

namespace carme::proxy {

// Not thread-safe: used on the loop's thread. Must outlive its scopes.
class ActivityMeter : private net::Timer {
  struct Count {
    JobId job;
    int open = 0;
    ActivityDelta delta{};
  };

 public:
  // Counts a websocket, or a request with its response, until its destruction.
  // Move-only.
  class Scope {
   public:
    Scope() = default;  // counts nothing
    Scope(Scope&& other) noexcept
        : meter_(std::exchange(other.meter_, nullptr)), count_(other.count_) {}
    Scope& operator=(Scope&& other) noexcept;
    ~Scope() { End(); }

    void Received(uint64_t bytes) {
      if (meter_ != nullptr) count_->delta.received_bytes += bytes;
    }
    void Sent(uint64_t bytes) {
      if (meter_ != nullptr) count_->delta.sent_bytes += bytes;
    }

   private:
    friend class ActivityMeter;
    Scope(ActivityMeter* meter, Count* count) : meter_(meter), count_(count) {}
    void End();

    ActivityMeter* meter_ = nullptr;
    Count* count_ = nullptr;
  };

  // `aggregator` must outlive it.
  ActivityMeter(net::EventLoop& loop, ActivityAggregator& aggregator);
  ~ActivityMeter() override;

  Scope Begin(const JobId& job);

 private:
  void OnDeadline() override;

  ActivityAggregator& aggregator_;
  bool armed_ = false;
  absl::flat_hash_map<std::string, std::unique_ptr<Count>> counts_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_ACTIVITY_METER_H_
