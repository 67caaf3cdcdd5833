// Bytes both ways between two streams until both directions have ended.
#ifndef CARME_COMMON_NET_RELAY_H_
#define CARME_COMMON_NET_RELAY_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "absl/time/time.h"
#include "common/net/stream.h"
#include "common/net/task.h"

namespace carme::net {

struct RelayOptions {
  // Neither direction moved a byte for this long: both are cancelled.
  absl::Duration idle_timeout = absl::Hours(1);
  // The same once one direction has ended: many programs never close the
  // other one by themselves.
  absl::Duration half_closed_timeout = absl::Minutes(5);
  // Both are cancelled this long from now, however busy they are.
  absl::Duration longest = absl::InfiniteDuration();
  // Sees what is passed on from a to b, in order. Must not block, and outlives
  // the relay; null: nobody looks.
  const std::function<void(std::string_view)>* watch_a_to_b = nullptr;
  const std::function<void(std::string_view)>* watch_b_to_a = nullptr;
};

struct RelayResult {
  uint64_t a_to_b_bytes = 0;
  uint64_t b_to_a_bytes = 0;
  // Why it ended early: ETIMEDOUT, ECANCELED, ECONNRESET…; 0: both directions
  // came to their end.
  int error = 0;
};

// The end of one direction is passed on (Stream::Finish) and the other goes on,
// also when the receiver has stopped to listen; other errors end both. A slow
// reader stops its writer: 16 KiB are held for a direction. To end it early,
// Cancel either stream. The streams belong to the caller, must be on one loop,
// and are for nothing but destroying afterwards.
Task<RelayResult> Relay(Stream& a, Stream& b, RelayOptions options);

}  // namespace carme::net

#endif  // CARME_COMMON_NET_RELAY_H_
