// Threads that each run one task, at most so many at a time.
//
// Thread-safe. Every task must end by itself before Join() returns.
#ifndef CARME_FRONTEND_HTTP_CONNECTION_THREADS_H_
#define CARME_FRONTEND_HTTP_CONNECTION_THREADS_H_

#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace carme::frontend {

class ConnectionThreadPool {
 public:
  explicit ConnectionThreadPool(int most) : max_(most) {}
  ~ConnectionThreadPool() { Join(); }

  // False when `most` are running, or the system gives no thread; the task is
  // not run then.
  bool Start(std::function<void()> task);
  // Waits until no task runs.
  void Join();
  int running() const;

 private:
  void Ended();

  const int max_;
  mutable absl::Mutex mutex_;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_CONNECTION_THREADS_H_
