// Counters of one loop since the start.
#ifndef CARME_PROXY_TELEMETRY_COUNTERS_H_
#define CARME_PROXY_TELEMETRY_COUNTERS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/metrics/metric_values.h"

namespace carme::proxy {

// Written by one thread, read by any, without locked instructions.
class Count {
 public:
  void Add(uint64_t more = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + more,
                 std::memory_order_relaxed);
  }
  void Subtract(uint64_t less = 1) { Add(~less + 1); }
  void Set(uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  uint64_t Get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_ = 0;
};

// Where a request was answered.
enum class Destination : uint8_t { kLocal, kPortal, kJob };
inline constexpr size_t kDestinationCount = 3;

// The limit that rejected a request or connection.
enum class Limit : uint8_t {
  kConnections,
  kPerAddress,
  kPerSession,
  kLogins,
  kBody,
  kMemory,
  kPortalRequests,
  kPortalStreams,
  kPortalBuffer,
};
inline constexpr size_t kLimitCount = 9;

struct DestinationCounters {
  // by first digit of the status; 0: no response
  std::array<Count, 6> by_status;
  std::array<Count, kDurationBuckets.size() + 1> by_duration;
  Count microseconds;
  Count received_bytes;  // of bodies and websockets, from the client
  Count sent_bytes;
};

// Aligned to a cache line, so that two loops never write to the same one.
struct alignas(64) Counters {
  Count connections;
  Count handshakes_full;
  Count handshakes_resumed;
  Count handshakes_failed;
  Count plain_requests;    // HTTP without TLS
  Count refused_requests;  // malformed HTTP
  Count bad_proxy_headers;
  Count websockets_open;  // a gauge, as is the next one
  Count routes;
  Count stale_routes;
  Count reverse_tunnels;  // a gauge
  Count agents_refused;
  Count log_lines;
  Count log_lines_lost;
  std::array<DestinationCounters, kDestinationCount> served;
  std::array<Count, kLimitCount> limits;

  DestinationCounters& Of(Destination kind) {
    return served[static_cast<size_t>(kind)];
  }
  Count& Of(Limit limit) { return limits[static_cast<size_t>(limit)]; }
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_COUNTERS_H_
