// A few threads for work that may block for seconds. Used by code that must not
// block, such as handlers of gRPC's callback API.
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
  // At most `max_waiting` tasks wait for a thread.
  ThreadPool(int threads, size_t max_waiting);
  // Waits for running tasks; tasks that have not started are dropped.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // False: too many tasks are waiting.
  bool Add(std::function<void()> task);

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
