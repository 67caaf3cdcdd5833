// Does something every so often, on a thread of its own.
#ifndef CARME_COMMON_CONCURRENCY_TICKER_H_
#define CARME_COMMON_CONCURRENCY_TICKER_H_

#include <functional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace carme {

class Ticker {
 public:
  Ticker(absl::Duration interval, std::function<void()> act)
      : thread_([this, interval, act = std::move(act)] {
          while (Sleep(interval)) act();
        }) {}
  // Waits for the act that is under way.
  ~Ticker() {
    {
      absl::MutexLock lock(&mutex_);
      stop_ = true;
    }
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  bool Sleep(absl::Duration interval) {
    absl::MutexLock lock(&mutex_);
    return !mutex_.AwaitWithTimeout(absl::Condition(&stop_), interval);
  }
  absl::Mutex mutex_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace carme

#endif  // CARME_COMMON_CONCURRENCY_TICKER_H_
