// Copies bytes in both directions between two streams until both have ended.
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
  // Both directions are cancelled when neither moved a byte for this time.
  absl::Duration idle_timeout = absl::Hours(1);
  // The same after one direction has ended: many programs never close the
  // other one.
  absl::Duration half_closed_timeout = absl::Minutes(5);
  // Both are cancelled after this time, even if they are busy.
  absl::Duration longest = absl::InfiniteDuration();
  // Gets all bytes from a to b, in order. Must not block, and must outlive the
  // relay. May be null.
  const std::function<void(std::string_view)>* watch_a_to_b = nullptr;
  const std::function<void(std::string_view)>* watch_b_to_a = nullptr;
};

struct RelayResult {
  uint64_t a_to_b_bytes = 0;
  uint64_t b_to_a_bytes = 0;
  // Why it ended early: ETIMEDOUT, ECANCELED, ECONNRESET…; 0: both directions
  // ended normally.
  int error = 0;
};

// The end of one direction is forwarded (Stream::Finish) and the other
// direction continues, also when the receiver no longer reads; other errors end
// both. A slow reader stops its writer: at most 16 KiB are buffered for a
// direction. To end the relay early, Cancel either stream. The caller owns the
// streams, which must be on one loop, and can only destroy them afterwards.
Task<RelayResult> Relay(Stream& a, Stream& b, RelayOptions options);

}  // namespace carme::net

#endif  // CARME_COMMON_NET_RELAY_H_
