// One thread's loop over edge-triggered epoll.
//
// Each descriptor is registered once, for everything, and closed by its owner:
// no epoll_ctl is ever spent on waiting. Coroutines wait on Stream, Sleep and
// Latch; the loop resumes them.
//
// Thread rule: everything belongs to the thread that calls Run, but Post and
// Stop, which any thread may call. Until Run is called, the thread that will
// call it may use everything.
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

// Something that has a descriptor in the loop's epoll.
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
  // The loop is stopping: make whatever waits here fail. Must not destroy.
  virtual void OnStop() = 0;

  EventSource* next_ = nullptr;
  EventSource** link_ = nullptr;
};

class EventLoop {
 public:
  // RESOURCE_EXHAUSTED when descriptors have run out.
  static absl::StatusOr<std::unique_ptr<EventLoop>> Create();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  // REQUIRES: Run is not running and no source is left.
  ~EventLoop();

  // Until Stop. Then everything that waits fails with ECANCELED, and Run
  // returns once every spawned task has ended, or after a second without.
  void Run();
  // Any thread.
  void Stop();
  // Any thread: `call` runs on the loop's thread, in order of posting. What is
  // posted after the loop has stopped is destroyed unrun with the loop.
  void Post(std::function<void()> call);

  // `call` runs at the end of each turn, and once more when Run returns: for
  // what is gathered meanwhile. Before Run.
  void OnTurnEnd(std::function<void()> call) { turn_end_ = std::move(call); }

  // Runs a task that nobody awaits. Starts it at once.
  void Spawn(Task<void> task);
  // Resumes from the loop, not from the caller's stack.
  void Schedule(std::coroutine_handle<> waiter) { ready_.push_back(waiter); }

  // `co_await loop.Yield()`: lets the others have their turn. A coroutine whose
  // sockets are always ready would keep the loop for itself.
  struct Yielder {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) { loop.Schedule(h); }
    void await_resume() const {}
    EventLoop& loop;
  };
  Yielder Yield() { return Yielder{*this}; }

  // Registers `fd`; its owner removes it before it closes it. `events` without
  // EPOLLET is level-triggered, for listeners. With -1 for a descriptor the
  // source only hears of the loop's stop.
  absl::Status Add(int fd, uint32_t events, EventSource* source);
  void Remove(int fd, EventSource* source);

  int64_t now_ms() const { return timers_.now_ms(); }  // monotonic
  TimerWheel& timers() { return timers_; }
  int64_t tasks() const { return tasks_; }

  // What a read goes into. Its content lives until the coroutine suspends:
  // other coroutines use the same bytes.
  static constexpr size_t kScratchBytes = 16 * 1024;
  // Of a body so much may be read into the same. Sending costs by the packet,
  // and these are the most records of TLS that fit into one of 64 KiB.
  static constexpr size_t kBodyBytes = 48 * 1024;
  char* scratch() { return scratch_.get(); }
  // Where streams gather what goes out in one send; empty between operations.
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
  // The events of this turn that are still to be handled. Removing a source
  // blanks its event, so that nothing touches it afterwards.
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

// `co_await Sleep(loop, absl::Seconds(1))`: 0 when the time has passed,
// ECANCELED when the loop is stopping. No more exact than the timer wheel.
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
