// A thread for each connection, up to a maximum. Connections beyond it get a
// few more threads, which must refuse their requests. Idle threads end after a
// while.
//
// Thread-safe.
#ifndef CARME_FRONTEND_HTTP_CONNECTION_THREADS_H_
#define CARME_FRONTEND_HTTP_CONNECTION_THREADS_H_

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace carme::frontend {

class ConnectionThreads {
 public:
  explicit ConnectionThreads(int max_connections)
      : max_connections_(max_connections) {}
  // Waits for all connections.
  ~ConnectionThreads();
  ConnectionThreads(const ConnectionThreads&) = delete;
  ConnectionThreads& operator=(const ConnectionThreads&) = delete;

  // Always runs `connection`, because only that closes its socket. Blocks while
  // too many wait for their refusal.
  void Run(std::function<void()> connection);
  // Whether the calling thread must refuse its connection's request.
  static bool MustRefuse();

  // Refuses new connections and waits until the others have ended.
  void Drain();
  // Waits for those that are refused, too.
  void DrainAll();
  // Serves connections again.
  void Resume() { draining_ = false; }
  // Running connections must end soon. Does not block.
  bool draining() const { return draining_; }

 private:
  struct Lane {
    const bool refuses;
    std::deque<std::function<void()>> waiting{};
    absl::CondVar arrived{};
    int connections = 0;  // waiting and running
    int threads = 0;
    size_t idle = 0;
  };

  void Start(Lane* lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunLane(Lane* lane);
  // False: no connection arrived for a while, or the threads must end.
  bool WaitForConnection(Lane* lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MayRefuseOneMore() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool ServesNone() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool HasNoConnection() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool HasNoThread() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  const int max_connections_;
  std::atomic<bool> draining_ = false;
  absl::Mutex mutex_;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  Lane served_ ABSL_GUARDED_BY(mutex_){.refuses = false};
  Lane refused_ ABSL_GUARDED_BY(mutex_){.refuses = true};
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_CONNECTION_THREADS_H_
