// Runs a function on a named thread of its own until the object is destroyed:
// periodically, or whenever there is work.
//
//   BackgroundThread sweeper_{"sweeper", absl::Hours(1), [this] { Sweep(); }};
//
//   // Takes one request from the queue; Enqueue() calls worker_.Wake().
//   BackgroundThread worker_{"worker", [this] { return ProcessNext(); }};
//
// Make it the last member of its owner, so that the thread has ended before the
// members that it uses are destroyed. For tasks of one queue on several
// threads: thread_pool.h. A thread that waits in poll(2), gRPC or libslurm, and
// one that runs a single task, is a std::thread.
#ifndef CARME_COMMON_CONCURRENCY_BACKGROUND_THREAD_H_
#define CARME_COMMON_CONCURRENCY_BACKGROUND_THREAD_H_

#include <functional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace carme {

// Thread-safe.
class BackgroundThread {
 public:
  // Does a piece of work and returns the time until the next call:
  // absl::ZeroDuration() for the next piece, absl::InfiniteDuration() to wait
  // for Wake().
  using Step = std::function<absl::Duration()>;

  BackgroundThread() = default;  // not started
  BackgroundThread(const char* name, Step step) {
    Start(name, std::move(step));
  }
  BackgroundThread(const char* name, absl::Duration interval,
                   std::function<void()> function) {
    Start(name, interval, std::move(function));
  }
  // Stops.
  ~BackgroundThread() { Stop(); }
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  // Calls `step` immediately and then after the time that it returns. `name`:
  // at most 15 characters, shown by `top -H`. Call once.
  void Start(const char* name, Step step);
  // Calls `function` every `interval`, the first time after one, and at each
  // Wake(). The interval begins at the end of a call. Call once.
  void Start(const char* name, absl::Duration interval,
             std::function<void()> function);
  // Must not be called at the same time as Start() or Stop().
  bool started() const { return thread_.joinable(); }

  // Makes the next call begin at once, after a running one. Calls of Wake()
  // before that are one. Does not block.
  void Wake();
  // No call begins after this. Does not block.
  void RequestStop();
  // Waits for the running call. No call begins after this. Must not be called
  // by the function, nor by two threads at once.
  void Stop();
  // Also true for a running call that began before RequestStop().
  bool stopping() const;
  // For the function: blocks for `pause`, which Wake() does not shorten. False:
  // the thread is stopping.
  bool SleepFor(absl::Duration pause);

 private:
  void Run(const char* name, const Step& step, absl::Duration pause);
  bool ShouldCall() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return stop_ || woken_;
  }

  mutable absl::Mutex mutex_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  bool woken_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: uses the other members
};

}  // namespace carme

#endif  // CARME_COMMON_CONCURRENCY_BACKGROUND_THREAD_H_
