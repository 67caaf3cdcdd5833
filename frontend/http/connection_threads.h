// Runs each task in its own thread, up to a maximum. ThreadPool does not fit: a
// task lasts as long as its connection.
//
// Thread-safe. Tasks must end by themselves; Join() waits for them.
#ifndef CARME_FRONTEND_HTTP_CONNECTION_THREADS_H_
#define CARME_FRONTEND_HTTP_CONNECTION_THREADS_H_

#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace carme::frontend {

class ConnectionThreads {
 public:
  explicit ConnectionThreads(int max) : max_(max) {}
  ~ConnectionThreads() { Join(); }

  // Returns false, without running the task, if `max` tasks are running or no
  // thread can be created.
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
