// Calls a function periodically, on its own thread.
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
  Ticker(absl::Duration interval, std::function<void()> function)
      : thread_([this, interval, function = std::move(function)] {
          while (Sleep(interval)) function();
        }) {}
  // Waits for a running call.
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
  std::thread thread_;  // last: uses the other members
};

}  // namespace carme

#endif  // CARME_COMMON_CONCURRENCY_TICKER_H_
