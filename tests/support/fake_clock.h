// A clock that stands still until a test moves it.
#ifndef CARME_TESTS_SUPPORT_FAKE_CLOCK_H_
#define CARME_TESTS_SUPPORT_FAKE_CLOCK_H_

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace carme {

// Thread-safe.
class FakeClock : public Clock {
 public:
  explicit FakeClock(absl::Time start = absl::FromUnixSeconds(1'800'000'000))
      : now_(start) {}
  absl::Time Now() const override {
    absl::MutexLock lock(&mutex_);
    return now_;
  }
  void Advance(absl::Duration by) {
    absl::MutexLock lock(&mutex_);
    now_ += by;
  }
  void Set(absl::Time now) {
    absl::MutexLock lock(&mutex_);
    now_ = now;
  }

 private:
  mutable absl::Mutex mutex_;
  absl::Time now_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_FAKE_CLOCK_H_
