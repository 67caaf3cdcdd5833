// Lets threads wait for a condition that a poll of Slurm will satisfy.
#ifndef CARME_BACKEND_SLURM_POLL_NOTIFIER_H_
#define CARME_BACKEND_SLURM_POLL_NOTIFIER_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace carme::backend {

// Thread-safe.
class PollNotifier {
 public:
  // Call after each poll.
  void Polled() {
    absl::MutexLock lock(&mutex_);
    ++polls_;
  }
  // Blocks until `done` returns true; it is called now and after each poll,
  // without a lock. False: not within `timeout` of real time.
  template <typename Predicate>
  bool Await(const Predicate& done, absl::Duration timeout) {
    const absl::Time until = absl::Now() + timeout;
    uint64_t seen = Count();
    while (!done()) {
      if (!AwaitPollAfter(seen, until)) return done();
      seen = Count();
    }
    return true;
  }

 private:
  uint64_t Count() {
    absl::MutexLock lock(&mutex_);
    return polls_;
  }
  bool AwaitPollAfter(uint64_t seen, absl::Time until) {
    absl::MutexLock lock(&mutex_);
    const auto polled = [&] { return polls_ != seen; };
    return mutex_.AwaitWithDeadline(absl::Condition(&polled), until);
  }

  absl::Mutex mutex_;
  uint64_t polls_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_NOTIFIER_H_
