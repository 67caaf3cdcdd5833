#include "common/net/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

#include <cerrno>
#include <utility>

#include "common/status.h"

namespace carme::net {
namespace {

constexpr int64_t kStopTimeoutMs = 1000;

int64_t MonotonicMs() {
  timespec now;
  // The coarse clock is read without a system call and is finer than a tick.
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * int64_t{1000} + now.tv_nsec / 1000000;
}

// A coroutine that destroys its own frame.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

class Sleeper : private EventSource, private Timer {
 public:
  Sleeper(EventLoop& loop, int64_t delay_ms)
      : Timer(loop.timers()), loop_(loop) {
    // Cannot fail without a descriptor.
    loop.Add(-1, 0, this).IgnoreError();
    ArmTimer(delay_ms);
  }
  ~Sleeper() override { loop_.Remove(-1, this); }

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  int await_resume() const { return error_; }

 private:
  void OnEvents(uint32_t) override {}
  void OnStop() override { End(ECANCELED); }
  void OnDeadline() override { End(0); }
  void End(int error) {
    if (!waiter_) return;
    error_ = error;
    loop_.Schedule(std::exchange(waiter_, {}));
  }

  EventLoop& loop_;
  std::coroutine_handle<> waiter_;
  int error_ = 0;
};

Detached RunDetached(Task<void> task, int64_t* tasks) {
  ++*tasks;
  co_await std::move(task);
  --*tasks;
}

}  // namespace

Task<int> Sleep(EventLoop& loop, absl::Duration delay) {
  Sleeper sleeper(loop, absl::ToInt64Milliseconds(delay));
  int error = co_await sleeper;
  co_return error;
}

// Wakes epoll_wait from another thread.
class EventLoop::Waker : public EventSource {
 public:
  explicit Waker(UniqueFd fd) : fd_(std::move(fd)) {}
  int fd() const { return fd_.get(); }
  void Wake() {
    uint64_t one = 1;
    // A full counter wakes the loop too, so the result does not matter.
    [[maybe_unused]] ssize_t written = write(fd_.get(), &one, sizeof one);
  }

 private:
  // Edge-triggered, and the counter is 64 bits wide: it need not be read.
  void OnEvents(uint32_t) override {}
  void OnStop() override {}
  UniqueFd fd_;
};

absl::StatusOr<std::unique_ptr<EventLoop>> EventLoop::Create() {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return ErrnoError(errno, "epoll_create1");
  UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return ErrnoError(errno, "eventfd");
  std::unique_ptr<EventLoop> loop(
      new EventLoop(std::move(epoll), std::move(wake)));
  RETURN_IF_ERROR(
      loop->Add(loop->waker_->fd(), EPOLLIN | EPOLLET, loop->waker_.get()));
  return loop;
}

EventLoop::EventLoop(UniqueFd epoll, UniqueFd wake)
    : epoll_(std::move(epoll)),
      waker_(std::make_unique<Waker>(std::move(wake))),
      timers_(MonotonicMs()),
      batch_(std::make_unique<epoll_event[]>(kBatch)),
      scratch_(std::make_unique<char[]>(kBodyBytes)) {}

EventLoop::~EventLoop() = default;

absl::Status EventLoop::Add(int fd, uint32_t events, EventSource* source) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = source;
  if (fd >= 0 && epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return ErrnoError(errno, "epoll_ctl");
  }
  source->next_ = sources_;
  source->link_ = &sources_;
  if (sources_ != nullptr) sources_->link_ = &source->next_;
  sources_ = source;
  return absl::OkStatus();
}

void EventLoop::Remove(int fd, EventSource* source) {
  if (source->link_ == nullptr) return;
  *source->link_ = source->next_;
  if (source->next_ != nullptr) source->next_->link_ = source->link_;
  source->link_ = nullptr;
  // Needed if the descriptor outlives its source (a shared listener); otherwise
  // the following close would be enough.
  if (fd >= 0) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  for (int i = batch_at_; i < batch_size_; ++i) {
    if (batch_[i].data.ptr == source) batch_[i].data.ptr = nullptr;
  }
}

void EventLoop::Post(std::function<void()> call) {
  bool first;
  {
    std::lock_guard lock(mutex_);
    first = posted_.empty();
    posted_.push_back(std::move(call));
  }
  if (first) waker_->Wake();
}

void EventLoop::Stop() {
  stopping_.store(true, std::memory_order_release);
  waker_->Wake();
}

void EventLoop::Spawn(Task<void> task) {
  RunDetached(std::move(task), &tasks_);
}

void EventLoop::DrainPosts() {
  std::vector<std::function<void()>> calls;
  {
    std::lock_guard lock(mutex_);
    calls.swap(posted_);
  }
  for (auto& call : calls) call();
}

void EventLoop::ResumeReady() {
  // Coroutines that become ready meanwhile wait for the next turn, so that
  // sockets are polled.
  resuming_.swap(ready_);
  for (std::coroutine_handle<> waiter : resuming_) waiter.resume();
  resuming_.clear();
}

void EventLoop::Turn() {
  int sleep_ms = ready_.empty() ? timers_.SleepMs() : 0;
  int count = epoll_wait(epoll_.get(), batch_.get(), kBatch, sleep_ms);
  timers_.Advance(MonotonicMs());
  batch_size_ = count < 0 ? 0 : count;  // EINTR: no events
  for (batch_at_ = 0; batch_at_ < batch_size_;) {
    const epoll_event event = batch_[batch_at_++];
    if (event.data.ptr == nullptr) continue;
    static_cast<EventSource*>(event.data.ptr)->OnEvents(event.events);
  }
  batch_at_ = batch_size_ = 0;
  DrainPosts();
  ResumeReady();
  if (turn_end_) turn_end_();
}

void EventLoop::CancelSources() {
  for (EventSource* source = sources_; source != nullptr;
       source = source->next_) {
    source->OnStop();
  }
}

void EventLoop::Run() {
  timers_.Advance(MonotonicMs());
  while (!stopping_.load(std::memory_order_acquire)) Turn();
  const int64_t give_up = now_ms() + kStopTimeoutMs;
  while (tasks_ > 0 && now_ms() < give_up) {
    CancelSources();
    ResumeReady();
    epoll_wait(epoll_.get(), batch_.get(), 1, ready_.empty() ? 10 : 0);
    timers_.Advance(MonotonicMs());
    DrainPosts();
  }
  if (turn_end_) turn_end_();
}

}  // namespace carme::net
