// An event loop of one thread, over edge-triggered epoll.
//
// Each descriptor is registered once, for all events, and closed by its owner,
// so that waiting needs no epoll_ctl. Coroutines wait on Stream, Sleep and
// Latch; the loop resumes them.
//
// Thread safety: only the thread that calls Run may use the loop, except for
// Post and Stop, which any thread may call. Before Run, the thread that will
// call it may use the loop.
#ifndef CARME_COMMON_NET_EVENT_LOOP_H_
#define CARME_COMMON_NET_EVENT_LOOP_H_

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/task.h"
#include "common/net/timer_wheel.h"
#include "common/unique_fd.h"

struct epoll_event;

namespace carme::net {

// An object with a descriptor that is registered in the loop.
class EventSource {
 public:
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;

 protected:
  EventSource() = default;
  virtual ~EventSource() = default;

 private:
  friend class EventLoop;
  // `events` is epoll's mask. May destroy this or any other source.
  virtual void OnEvents(uint32_t events) = 0;
  // The loop is stopping: fails all waiting operations. Must not destroy a
  // source.
  virtual void OnStop() = 0;

  EventSource* next_ = nullptr;
  EventSource** link_ = nullptr;
};

class EventLoop {
 public:
  // RESOURCE_EXHAUSTED: no free descriptor.
  static absl::StatusOr<std::unique_ptr<EventLoop>> Create();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  // REQUIRES: Run is not running and no source is left.
  ~EventLoop();

  // Runs until Stop. Then all waiting operations fail with ECANCELED, and Run
  // returns when every spawned task has ended, or after a second.
  void Run();
  // Any thread.
  void Stop();
  // Any thread: `call` runs on the loop's thread, in the order of the posts.
  // Calls that are posted after the stop are destroyed with the loop, unrun.
  void Post(std::function<void()> call);

  // `call` runs at the end of each turn, and once more when Run returns. Use it
  // to process in one batch what was collected in the turn. Call it before Run.
  void OnTurnEnd(std::function<void()> call) { turn_end_ = std::move(call); }

  // Starts a task that is not awaited, at once.
  void Spawn(Task<void> task);
  // Resumes the coroutine from the loop, not from the caller's stack.
  void Schedule(std::coroutine_handle<> waiter) { ready_.push_back(waiter); }

  // `co_await loop.Yield()`: lets other coroutines run. A coroutine whose
  // sockets are always ready would block them otherwise.
  struct Yielder {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) { loop.Schedule(h); }
    void await_resume() const {}
    EventLoop& loop;
  };
  Yielder Yield() { return Yielder{*this}; }

  // Registers `fd`; its owner removes it before it closes it. `events` without
  // EPOLLET is level-triggered, for listeners. With descriptor -1 the source
  // is only notified of the loop's stop.
  absl::Status Add(int fd, uint32_t events, EventSource* source);
  void Remove(int fd, EventSource* source);

  int64_t now_ms() const { return timers_.now_ms(); }  // monotonic
  TimerWheel& timers() { return timers_; }
  int64_t tasks() const { return tasks_; }

  // A buffer for reads. Its content is valid until the coroutine suspends,
  // because all coroutines share it.
  static constexpr size_t kScratchBytes = 16 * 1024;
  // Reads of a body may use this many bytes of scratch(): as many full TLS
  // records as fit into one packet of 64 KiB. Sending costs per packet.
  static constexpr size_t kBodyBytes = 48 * 1024;
  char* scratch() { return scratch_.get(); }
  // Streams collect the bytes of one send here; empty between operations.
  std::string& wire() { return wire_; }

 private:
  class Waker;
  static constexpr int kBatch = 128;

  EventLoop(UniqueFd epoll, UniqueFd wake);
  void Turn();
  void DrainPosts();
  void ResumeReady();
  void CancelSources();

  UniqueFd epoll_;
  std::unique_ptr<Waker> waker_;
  TimerWheel timers_;
  std::vector<std::coroutine_handle<>> ready_;
  std::vector<std::coroutine_handle<>> resuming_;
  EventSource* sources_ = nullptr;
  // The events of this turn that are not handled yet. Removing a source clears
  // its event, so that it is not used afterwards.
  std::unique_ptr<epoll_event[]> batch_;
  int batch_at_ = 0;
  int batch_size_ = 0;
  int64_t tasks_ = 0;
  std::function<void()> turn_end_;
  std::unique_ptr<char[]> scratch_;
  std::string wire_;

  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by mutex_
};

// `co_await Sleep(loop, absl::Seconds(1))`: 0 after the time, ECANCELED when
// the loop is stopping. As exact as the timer wheel.
Task<int> Sleep(EventLoop& loop, absl::Duration delay);

// Lets one coroutine wait for `count` others.
class Latch {
 public:
  Latch(EventLoop& loop, int count) : loop_(loop), count_(count) {}
  void CountDown() {
    if (--count_ == 0 && waiter_) loop_.Schedule(waiter_);
  }

  struct Awaiter {
    bool await_ready() const { return latch.count_ <= 0; }
    void await_suspend(std::coroutine_handle<> h) { latch.waiter_ = h; }
    void await_resume() const {}
    Latch& latch;
  };
  Awaiter Wait() { return Awaiter{*this}; }

 private:
  EventLoop& loop_;
  int count_;
  std::coroutine_handle<> waiter_;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_EVENT_LOOP_H_
