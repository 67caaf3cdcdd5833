// How often a client may do what costs it nothing.
#ifndef CARME_COMMON_NET_FRAME_BUDGET_H_
#define CARME_COMMON_NET_FRAME_BUDGET_H_

#include <algorithm>
#include <cstdint>

namespace carme::net {

// A bucket that holds `most` and gains `per_second`. A value.
class FrameBudget {
 public:
  FrameBudget(int64_t most, int64_t per_second)
      : max_milli_(most * 1000), per_second_(per_second), milli_(most * 1000) {}

  // False: spent. `now_ms`: monotonic.
  bool Take(int64_t now_ms) {
    if (last_ms_ != 0) {
      const int64_t full =
          std::min(max_milli_, milli_ + (now_ms - last_ms_) * per_second_);
      milli_ = std::max(milli_, full);
    }
    last_ms_ = now_ms;
    if (milli_ < 1000) return false;
    milli_ -= 1000;
    return true;
  }
  // So many times more, beyond `most`, too.
  void Give(int64_t times) { milli_ += times * 1000; }

 private:
  const int64_t max_milli_;
  const int64_t per_second_;  // thousandths a millisecond
  int64_t milli_;             // thousandths that are left
  int64_t last_ms_ = 0;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_FRAME_BUDGET_H_
