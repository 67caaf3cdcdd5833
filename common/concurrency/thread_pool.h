// A few threads for work that may take seconds, for those who must not wait:
// handlers of gRPC's callback API and the stream pump.
#ifndef CARME_COMMON_CONCURRENCY_THREAD_POOL_H_
#define CARME_COMMON_CONCURRENCY_THREAD_POOL_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace carme {

// Thread-safe.
class ThreadPool {
 public:
  // At most `max_waiting` pieces wait for one of the threads.
  ThreadPool(int threads, size_t max_waiting);
  // Waits for what is under way; what waits is never done.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // False: too much waits already.
  bool Add(std::function<void()> piece);

 private:
  void Run();

  const size_t max_waiting_;
  absl::Mutex mutex_;
  std::deque<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace carme

#endif  // CARME_COMMON_CONCURRENCY_THREAD_POOL_H_
